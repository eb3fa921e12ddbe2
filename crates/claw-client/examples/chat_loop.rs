//! A conversation: each line of stdin is a prompt, and the text of the answer is printed as it comes.
//!
//! `cargo run -p claw-client --example chat_loop`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::io::{Write as _, stdin, stdout};

use claw_client::{QueryOptions, Session};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without it, an answer comes in one piece.
    let options = QueryOptions::default().include_partial_messages(true);
    let session = Session::builder(options).connect().await?;

    // Here nothing else happens while a line is typed, so it may block.
    for prompt in stdin().lines() {
        let mut text = session.send(prompt?).await?.text_stream();
        while let Some(piece) = text.try_next().await? {
            print!("{piece}");
            stdout().flush()?;
        }
        match text.result() {
            Some(result) if result.is_error() => println!("[failed: {}]", result.text()),
            _ => println!(),
        }
    }

    session.close().await?;
    let used = session.usage();
    println!("{} answers, ${:.4}", used.results, used.cost_usd);
    Ok(())
}
