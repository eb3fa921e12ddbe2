use claude_codes::{AsyncClient, ClaudeOutput};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut client = AsyncClient::with_defaults().await?;
    let mut messages = client.query_stream("What is 2 + 2?").await?;
    while let Some(message) = messages.next().await {
        if let ClaudeOutput::Assistant(answer) = message? {
            println!("{answer:?}");
        }
    }
    Ok(())
}
