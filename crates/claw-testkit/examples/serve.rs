//! Serves a scenario until standard input ends, to try it by hand on a real CLI:
//! `cargo run -p claw-testkit --features api --example serve -- slow`. Instead of a name, it takes the path of a file with a
//! scenario, which ends in `.json`.
//! A line on standard input opens the gate that it names; at the end the requests are listed.

use std::{
    error::Error,
    io::{Write as _, stdout},
    path::Path,
};

use claw_testkit::api::{Api, scenarios};
use tokio::io::{AsyncBufReadExt as _, BufReader, stdin};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "text".to_owned());
    let scenario = if Path::new(&name).extension().is_some_and(|it| it == "json") {
        serde_json::from_slice(&std::fs::read(&name)?)?
    } else {
        scenarios::by_name(&name).ok_or("no such scenario")?
    };
    let prompt = scenario.prompt.clone();
    let api = Api::start(scenario).await?;
    writeln!(stdout(), "{}\n{prompt}", api.base_url())?;
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(gate) = lines.next_line().await? {
        api.gates().open(gate.trim());
    }
    for request in api.requests() {
        writeln!(
            stdout(),
            "{} {} {}",
            request.method,
            request.path,
            request.body
        )?;
    }
    Ok(())
}
