//! Stops a turn in the middle of its answer; then says more while another one runs.
//!
//! `cargo run -p claw-client --example interrupt_and_steer`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, Session, TurnResult};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let options = QueryOptions::default().include_partial_messages(true);
    let session = Session::builder(options).connect().await?;

    // Interrupt: as soon as the first words are there. Any clone of the session could do it, from
    // any task.
    let turn = session.send("Tell me a very long story.").await?;
    let mut text = turn.text_stream();
    if let Some(words) = text.try_next().await? {
        println!("it begins: {}", words.trim());
        session.interrupt().await?;
    }
    // The turn goes on to its end, which is near, and has a result as every turn has.
    while text.try_next().await?.is_some() {}
    if text.result().is_some_and(TurnResult::interrupted) {
        println!("it was stopped");
    }

    // Steer: the second prompt comes while the first is being answered. The CLI puts it into the
    // running turn where it can, else it answers it after that. Each prompt has its result.
    let first = session.send("Tell me a short one.").await?;
    let mut second = session.send("With a dragon, please.").await?;
    println!("first: {}", first.result().await?.text());
    println!("second: {}", second.last().await?.text());
    if second.merged_into().is_some() {
        println!("(one answer to both)");
    }

    session.close().await?;
    Ok(())
}
