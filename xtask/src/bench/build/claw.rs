use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, query};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut messages = query("What is 2 + 2?", QueryOptions::default()).await?;
    while let Some(message) = messages.try_next().await? {
        if let Message::Assistant(_) = message {
            println!("{}", message.text());
        }
    }
    Ok(())
}
