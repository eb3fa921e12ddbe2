//! Interrupts a turn in the middle of its answer. Then sends a second prompt while another turn
//! runs.
//!
//! `cargo run -p claw-client --example interrupt_and_steer`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, Session, TurnResult};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let options = QueryOptions::default().include_partial_messages(true);
    let session = Session::builder(options).connect().await?;

    // Interrupt: as soon as the first words have arrived. Any clone of the session can interrupt
    // the turn, from any task.
    let turn = session.send("Tell me a very long story.").await?;
    let mut text = turn.text_stream();
    if let Some(words) = text.try_next().await? {
        println!("it begins: {}", words.trim());
        session.interrupt().await?;
    }
    // The CLI now ends the turn. An interrupted turn has a result like every other turn.
    while text.try_next().await?.is_some() {}
    if text.result().is_some_and(TurnResult::interrupted) {
        println!("it was stopped");
    }

    // Steer: the second prompt is sent while the CLI answers the first. The CLI adds it to the
    // running turn if possible. Otherwise it answers the second prompt after that turn. Each prompt
    // has its result.
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
