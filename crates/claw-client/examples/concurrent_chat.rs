//! Three people talk in one conversation at the same time, and each gets the answer to their own prompt.
//!
//! `cargo run -p claw-client --example concurrent_chat`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::types::QueryOptions;
use claw_client::{Error, Session};
use futures::future::try_join_all;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let session = Session::builder(QueryOptions::default()).connect().await?;
    let people = ["Ada", "Bob", "Eve"].map(|name| {
        // Clones are handles of the same conversation. Its prompts are answered one after the other.
        let session = session.clone();
        async move {
            let answer = session.ask(format!("I am {name}. Who am I?")).await?;
            Ok::<_, Error>((name, answer))
        }
    });
    for (name, answer) in try_join_all(people).await? {
        println!("{name}: {answer}");
    }
    session.close().await?;
    Ok(())
}
