//! Fifty prompts, or those that are given, each in a session of its own, at most four at a time.
//!
//! `cargo run -p claw-client --example many_sessions -- "What is 2 + 2?" "And 3 + 3?" …`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, Session};
use futures::{StreamExt, stream};

/// How many processes run at the same time. Each takes some hundred megabytes.
const AT_ONCE: usize = 4;

async fn ask(prompt: String) -> (String, Result<String, Error>) {
    let answer = async {
        let session = Session::builder(QueryOptions::default()).connect().await?;
        let answer = session.ask(&prompt).await?;
        session.close().await?;
        Ok(answer)
    };
    let answer = answer.await;
    (prompt, answer)
}

#[tokio::main]
async fn main() {
    let mut prompts: Vec<String> = std::env::args().skip(1).collect();
    if prompts.is_empty() {
        prompts = (1..=50).map(|n| format!("What is {n} + {n}?")).collect();
    }
    // As they come. One that fails does not keep the others from it.
    let mut answers = stream::iter(prompts).map(ask).buffer_unordered(AT_ONCE);
    while let Some((prompt, answer)) = answers.next().await {
        match answer {
            Ok(answer) => println!("{prompt} {answer}"),
            Err(error) => println!("{prompt} failed: {error}"),
        }
    }
}
