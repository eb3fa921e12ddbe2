//! The round trip of a control request: in an idle session, and during a flood of messages without
//! a reader.

use std::time::Instant;

use claw_client::Session;
use claw_client::types::Json;
use claw_client::types::control::{ControlRequestBody, Request};
use serde::Deserialize;

use crate::agent::Flood;
use crate::rounds::quantile;
use crate::{Result, block_on};

const IDLE: usize = 5_000;
const UNREAD: usize = 200_000;

/// Asks the program whether it is in a flood.
struct Flooding;

impl From<Flooding> for ControlRequestBody {
    fn from(_: Flooding) -> Self {
        let json = r#"{"subtype":"flooding"}"#;
        serde_json::from_str(json).expect("a request of an unknown kind")
    }
}

impl Request for Flooding {
    type Response = Json;
}

#[derive(Deserialize)]
struct Answer {
    flooding: bool,
}

pub(crate) fn main() -> Result {
    println!(
        "{:<34}{:>8}{:>12}{:>12}{:>12}",
        "milliseconds", "calls", "median", "99 %", "longest"
    );
    block_on(async {
        let flood = Flood::of("stream_event", UNREAD)?;
        let session = Session::builder(flood.options()?).connect().await?;
        let mut idle = Vec::new();
        for _ in 0..IDLE {
            idle.push(call(&session).await?.0);
        }
        print("idle", idle);

        // The turn is kept, but not read.
        let turn = session.send("Go").await?;
        let mut under = Vec::new();
        let mut begun = false;
        loop {
            let (took, flooding) = call(&session).await?;
            if begun && !flooding {
                break;
            }
            begun |= flooding;
            if begun {
                under.push(took);
            }
        }
        print("under 200,000 unread messages", under);
        turn.result().await?;
        session.close().await?;
        Ok(())
    })?
}

async fn call(session: &Session) -> Result<(f64, bool)> {
    let begun = Instant::now();
    let answer: Json = session.call(Flooding).await?;
    Ok((
        begun.elapsed().as_secs_f64() * 1e3,
        answer.parse::<Answer>()?.flooding,
    ))
}

fn print(name: &str, mut took: Vec<f64>) {
    println!(
        "{name:<34}{:>8}{:>12.3}{:>12.3}{:>12.3}",
        took.len(),
        quantile(&mut took, 0.5),
        quantile(&mut took, 0.99),
        quantile(&mut took, 1.0)
    );
}
