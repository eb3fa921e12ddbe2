//! Resumes a conversation in another process, and then forks it.
//!
//! `cargo run -p claw-client --example resume_and_fork`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, SessionId, query};

/// Sends one prompt, prints the answer, and returns the ID of the conversation.
async fn ask(prompt: &str, options: QueryOptions) -> Result<SessionId, Error> {
    let result = query(prompt, options).await?.result().await?;
    let id = result.session_id().clone();
    println!("{prompt} {}", result.answer()?);
    Ok(id)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    // The CLI stores conversations in files, by their working directory.
    let options = QueryOptions::default;
    let id = ask("My name is Ada.", options()).await?;

    let resumed = ask("What is my name?", options().resume(id.clone())).await?;
    println!("the same conversation: {}", resumed == id);

    // A fork begins with a copy of the conversation so far. The original conversation stays
    // unchanged.
    let forked = ask(
        "What is my name?",
        options().resume(id.clone()).fork_session(true),
    )
    .await?;
    println!("another conversation: {}", forked != id);
    Ok(())
}
