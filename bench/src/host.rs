//! One prompt of claw in its own program, as for the other SDKs. Prints the measured figures as a line of JSON.

use std::path::PathBuf;
use std::time::Instant;

use claw_client::types::Message;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use crate::{Result, agent, block_on, process};

/// The figures of a prompt.
#[derive(Serialize, Deserialize)]
pub(crate) struct Took {
    pub(crate) messages: usize,
    /// The time to the first message, or from the first to the last one.
    pub(crate) seconds: f64,
    pub(crate) peak_kb: f64,
}

pub(crate) fn main(what: &str, rest: &[String]) -> Result {
    let executable = PathBuf::from(rest.first().ok_or("which executable?")?);
    let (messages, seconds) = block_on(prompt(executable, what == "start"))??;
    #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
    let peak_kb = process::memory("VmHWM")? as f64;
    let took = Took {
        messages,
        seconds,
        peak_kb,
    };
    println!("{}", serde_json::to_string(&took)?);
    Ok(())
}

async fn prompt(executable: PathBuf, start: bool) -> Result<(usize, f64)> {
    let begun = Instant::now();
    let mut stream = claw_client::query("Go", agent::options(executable)).await?;
    let (mut first, mut messages) = (begun, 0);
    while let Some(received) = stream.try_next().await? {
        let message = received.into_result()?;
        if messages == 0 && !start {
            first = Instant::now();
        }
        messages += 1;
        let last = matches!(message, Message::ResultSuccess(_) | Message::ResultError(_));
        if start || last {
            break;
        }
    }
    Ok((messages, first.elapsed().as_secs_f64()))
}
