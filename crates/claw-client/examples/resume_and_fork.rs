//! Goes on with a conversation in another process, and takes it two ways.
//!
//! `cargo run -p claw-client --example resume_and_fork`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::types::{Message, QueryOptions, SessionId};
use claw_client::{Error, Received, query};
use futures::TryStreamExt;

/// Asks one thing, prints the answer, and gives the conversation's id.
async fn ask(prompt: &str, options: QueryOptions) -> Result<Option<SessionId>, Error> {
    let mut messages = query(prompt, options).await?;
    let mut id = None;
    while let Some(received) = messages.try_next().await? {
        match received {
            Received::Message(Message::SystemInit(init)) => id = Some(init.session_id),
            Received::Message(message @ Message::Assistant(_)) => {
                println!("{prompt} {}", message.text());
            }
            _ => {}
        }
    }
    Ok(id)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    // Conversations are kept in files, by the folder that they are held in.
    let options = QueryOptions::default;
    let Some(id) = ask("My name is Ada.", options()).await? else {
        println!("claude did not begin");
        return Ok(());
    };

    let resumed = ask("What is my name?", options().resume(id.clone())).await?;
    println!("the same conversation: {}", resumed.as_ref() == Some(&id));

    // A fork knows what was said so far; the conversation itself stays as it is.
    let forked = ask(
        "What is my name?",
        options().resume(id.clone()).fork_session(true),
    )
    .await?;
    println!(
        "another conversation: {}",
        forked.is_some_and(|forked| forked != id)
    );
    Ok(())
}
