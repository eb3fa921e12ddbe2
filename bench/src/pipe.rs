//! From the pipe to the user: messages per second, and the host's memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::de::DeserializeOwned;

use crate::Result;
use crate::agent::{self, Flood};
use crate::host::Took;
use crate::rounds::median;

const COUNT: usize = 200_000;
const ROUNDS: usize = 5;

pub(crate) fn main() -> Result {
    for kind in ["stream_event", "assistant"] {
        let flood = Flood::of(kind, COUNT)?;
        let mut took: Vec<(&str, Vec<Took>)> = Vec::new();
        for round in 0..ROUNDS {
            let runs = [
                ("cat", cat(&flood)?),
                ("claw", run(claw()?, &flood, "pipe")?),
                ("TypeScript SDK", run(typescript()?, &flood, "pipe")?),
                ("Python SDK", run(python()?, &flood, "pipe")?),
            ];
            for (at, (name, run)) in runs.into_iter().enumerate() {
                if round == 0 {
                    took.push((name, Vec::new()));
                }
                took[at].1.push(run);
            }
        }
        println!("{COUNT} {kind} lines, {ROUNDS} rounds");
        println!(
            "{:<18}{:>14}{:>12}{:>14}",
            "", "messages/s", "claw is", "peak memory"
        );
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let speed = |runs: &[Took]| {
            median(
                &mut runs
                    .iter()
                    .map(|r| r.messages as f64 / r.seconds)
                    .collect::<Vec<_>>(),
            )
        };
        let claw = speed(&took[1].1);
        for (name, runs) in &took {
            let speed = speed(runs);
            let peak = median(&mut runs.iter().map(|r| r.peak_kb / 1024.0).collect::<Vec<_>>());
            println!(
                "{name:<18}{speed:>14.0}{:>11.2}x{peak:>11.1} MB",
                claw / speed
            );
        }
        println!();
    }
    Ok(())
}

/// Pipes the program into `cat`, to measure the pipe itself.
fn cat(flood: &Flood) -> Result<Took> {
    let begun = Instant::now();
    let mut program = Command::new(agent::program()?)
        .envs(flood.env())
        .env("FLOOD_BARE", "1")
        .stdout(Stdio::piped())
        .spawn()?;
    let out = program.stdout.take().ok_or("no stdout")?;
    let done = Command::new("cat")
        .stdin(out)
        .stdout(Stdio::null())
        .status()?;
    program.wait()?;
    if !done.success() {
        return Err("cat failed".into());
    }
    Ok(Took {
        messages: flood.count,
        seconds: begun.elapsed().as_secs_f64(),
        peak_kb: f64::NAN,
    })
}

/// Runs a program whose arguments are the executable and the measurement, and returns its figures.
pub(crate) fn run(mut program: Command, flood: &Flood, what: &str) -> Result<Took> {
    program.envs(flood.env());
    took(program, &agent::program()?, what)
}

pub(crate) fn took(mut program: Command, executable: &Path, what: &str) -> Result<Took> {
    measured(program.args([what.as_ref(), executable.as_os_str()]))
}

/// Runs a program that measures something, and reads the figures that it prints.
pub(crate) fn measured<T: DeserializeOwned>(program: &mut Command) -> Result<T> {
    let output = program
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{program:?} ended with {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub(crate) fn claw() -> Result<Command> {
    let mut program = Command::new(std::env::current_exe()?);
    program.arg("host");
    Ok(program)
}

pub(crate) fn typescript() -> Result<Command> {
    let mut program = Command::new("node");
    program.arg(sdks()?.join("typescript.mjs"));
    Ok(program)
}

pub(crate) fn python() -> Result<Command> {
    let folder = sdks()?;
    let mut program = Command::new(folder.join("venv/bin/python"));
    program.arg(folder.join("python.py"));
    Ok(program)
}

/// The folder in which `cargo xtask bench` has installed the SDKs.
pub(crate) fn sdks() -> Result<PathBuf> {
    let folder = std::env::var_os("CLAW_BENCH_SDKS")
        .ok_or("CLAW_BENCH_SDKS is not set: run `cargo xtask bench`, which installs the SDKs")?;
    Ok(folder.into())
}
