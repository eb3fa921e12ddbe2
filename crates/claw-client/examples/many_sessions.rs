//! Sends fifty prompts, or the prompts of the command line, each in a separate session. The sessions share four
//! processes.
//!
//! `cargo run -p claw-client --features pool --example many_sessions -- "What is 2 + 2?" "And 3 + 3?" …`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::pool::Pool;
use claw_client::{QueryOptions, Session};
use futures::StreamExt;
use futures::stream::FuturesUnordered;

#[tokio::main]
async fn main() {
    let mut prompts: Vec<String> = std::env::args().skip(1).collect();
    if prompts.is_empty() {
        prompts = (1..=50).map(|n| format!("What is {n} + {n}?")).collect();
    }
    let pool = Pool::builder().processes(4).build();
    let asked = prompts.into_iter().map(|prompt| {
        let session = pool.session(QueryOptions::default(), Session::builder);
        async move {
            let answer = session.ask(&*prompt).await;
            (prompt, answer)
        }
    });
    // Answers come in the order in which they are ready. One that fails does not hold up the others.
    let mut answers: FuturesUnordered<_> = asked.collect();
    while let Some((prompt, answer)) = answers.next().await {
        match answer {
            Ok(answer) => println!("{prompt} {answer}"),
            Err(error) => println!("{prompt} failed: {error}"),
        }
    }
}
