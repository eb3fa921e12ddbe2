use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Received, query};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut messages = query("What is 2 + 2?", QueryOptions::default()).await?;
    while let Some(received) = messages.try_next().await? {
        match received {
            Received::Message(message @ Message::Assistant(_)) => println!("{}", message.text()),
            Received::Message(_) => {}
            Received::Unreadable(line) => eprintln!("{line}"),
        }
    }
    Ok(())
}
