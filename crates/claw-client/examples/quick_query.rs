//! One prompt in a process of its own, and the answer as it comes.
//!
//! `cargo run -p claw-client --example quick_query -- "What is 2 + 2?"`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Received, TurnResult, query};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "What is 2 + 2?".to_owned());

    let mut messages = query(prompt, QueryOptions::default()).await?;
    // Ends when the CLI has come to rest and its process has ended.
    while let Some(received) = messages.try_next().await? {
        match received {
            Received::Message(message @ Message::Assistant(_)) => println!("{}", message.text()),
            // The messages behind it still come.
            Received::Unreadable(line) => eprintln!("{line}"),
            Received::Message(other) => {
                // Of the other kinds of messages, the result alone is of interest here.
                if let Ok(result) = TurnResult::try_from(other) {
                    println!("{}", if result.is_error() { "failed" } else { "done" });
                }
            }
        }
    }
    println!("${:.4}", messages.session().usage().cost_usd);
    Ok(())
}
