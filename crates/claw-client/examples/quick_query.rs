//! One prompt in a new process. Prints the text as it streams, the tools as they run, and the cost at the end.
//!
//! `cargo run -p claw-client --example quick_query -- "What is 2 + 2?"`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use claw_client::{Error, QueryOptions, TurnEvent, query};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "What is 2 + 2?".to_owned());

    let options = QueryOptions::default().include_partial_messages(true);
    let mut events = query(prompt, options).await?.events();
    // Ends when the CLI has come to rest and its process has ended.
    while let Some(event) = events.try_next().await? {
        match event {
            TurnEvent::Text(text) => print!("{text}"),
            TurnEvent::BlockEnd => println!(),
            TurnEvent::Withdrawn(_) => {
                println!("\n[The connection broke off. The unfinished text above does not count.]");
            }
            TurnEvent::ToolUse(tool) => println!("[{}]", tool.name),
            TurnEvent::Result(result) => {
                println!("{}", if result.is_error() { "failed" } else { "done" });
                println!("${:.4}", result.total_cost_usd());
            }
            // The events behind it still come.
            TurnEvent::Unreadable(line) => eprintln!("{line}"),
            _ => {}
        }
    }
    Ok(())
}
