use claude_agent_sdk_rs::{ContentBlock, Message, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for message in query("What is 2 + 2?", None).await? {
        if let Message::Assistant(answer) = message {
            for block in answer.message.content {
                if let ContentBlock::Text(text) = block {
                    println!("{}", text.text);
                }
            }
        }
    }
    Ok(())
}
