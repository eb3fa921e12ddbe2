//! Goes on with a conversation in another process, and takes it two ways.
//!
//! `cargo run -p claw-client --example resume_and_fork`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, SessionId, query};

/// Asks one thing, prints the answer, and gives the conversation's id.
async fn ask(prompt: &str, options: QueryOptions) -> Result<SessionId, Error> {
    let result = query(prompt, options).await?.result().await?;
    let id = result.session_id().clone();
    println!("{prompt} {}", result.answer()?);
    Ok(id)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    // Conversations are kept in files, by the folder that they are held in.
    let options = QueryOptions::default;
    let id = ask("My name is Ada.", options()).await?;

    let resumed = ask("What is my name?", options().resume(id.clone())).await?;
    println!("the same conversation: {}", resumed == id);

    // A fork knows what was said so far; the conversation itself stays as it is.
    let forked = ask(
        "What is my name?",
        options().resume(id.clone()).fork_session(true),
    )
    .await?;
    println!("another conversation: {}", forked != id);
    Ok(())
}
