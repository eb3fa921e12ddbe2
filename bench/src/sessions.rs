//! Sessions on disk: lists, a long history and a fork of it, compared with the official SDKs on the same folders.
//!
//! Every call runs in a separate program, which prints the duration of the call and the program's peak memory.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::rounds::{interval, median};
use crate::{Result, pipe};

pub(crate) mod folders;

const SESSIONS: usize = 10_000;
/// The length of the transcript whose history is read, in bytes.
const LONG: u64 = 200 << 20;
const NAMES: [&str; 3] = ["claw", "TypeScript SDK", "Python SDK"];

/// The figures of a call.
#[derive(Deserialize)]
struct Took {
    /// The number of returned sessions or messages.
    items: usize,
    seconds: f64,
    /// The peak memory of the program, before it examined the returned items.
    peak_kb: f64,
    /// The length of the returned items as JSON.
    returned: f64,
}

pub(crate) fn main() -> Result {
    let folder = tempfile::tempdir()?;
    let many = folder.path().join("many");
    let long = folder.path().join("long");
    let bytes = folders::many(&many, SESSIONS)?;
    let (id, lines) = folders::long(&long, LONG)?;
    println!(
        "{SESSIONS} sessions of {:.0} MB; a transcript of {:.0} MB with {lines} lines",
        megabytes(bytes),
        megabytes(LONG)
    );
    println!(
        "{:<10}{:<16}{:>10}{:>9}{:>16}{:>14}{:>18}{:>13}{:>14}",
        "",
        "",
        "items",
        "ms",
        "least to most",
        "claw is",
        "least to most",
        "peak memory",
        "returned"
    );
    // Few rounds, because the official SDKs need half a minute for a list of all sessions.
    for (what, config, rounds) in [
        ("list", &many, 3),
        ("newest", &many, 5),
        ("history", &long, 5),
        ("fork", &long, 3),
    ] {
        table(what, config, &id, rounds)?;
    }
    Ok(())
}

fn table(what: &str, config: &Path, id: &str, rounds: usize) -> Result {
    let mut took: [Vec<Took>; 3] = Default::default();
    for round in 0..=rounds {
        for (program, took) in [claw()?, typescript()?, python()?]
            .into_iter()
            .zip(&mut took)
        {
            let run = run(program, what, config, id)?;
            // The first round fills the machine's caches.
            if round > 0 {
                took.push(run);
            }
        }
    }
    let of =
        |runs: &[Took], figure: fn(&Took) -> f64| -> Vec<f64> { runs.iter().map(figure).collect() };
    let claw = of(&took[0], |run| run.seconds);
    for (name, runs) in NAMES.iter().zip(&took) {
        let seconds = of(runs, |run| run.seconds);
        let mut ms: Vec<f64> = seconds.iter().map(|seconds| seconds * 1e3).collect();
        let mut times: Vec<f64> = seconds.iter().zip(&claw).map(|(a, b)| a / b).collect();
        let (low, high) = interval(&mut ms);
        let (least, most) = interval(&mut times);
        println!(
            "{what:<10}{name:<16}{:>10}{:>9.1}{:>16}{:>13.1}x{:>18}{:>10.1} MB{:>11.1} MB",
            runs[0].items,
            median(&mut ms),
            format!("{low:.1} to {high:.1}"),
            median(&mut times),
            format!("{least:.1} to {most:.1}"),
            median(&mut of(runs, |run| run.peak_kb)) / 1024.0,
            runs[0].returned / f64::from(1 << 20),
        );
    }
    println!("({rounds} interleaved rounds)\n");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "megabytes")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn run(mut program: Command, what: &str, config: &Path, id: &str) -> Result<Took> {
    program.arg(what).arg(config).arg(id);
    program.env_remove("CLAUDE_CODE_PROJECT_DIR_NAME");
    pipe::measured(&mut program)
}

fn claw() -> Result<Command> {
    let path = std::env::current_exe()?.with_file_name("disk");
    if path.is_file() {
        Ok(Command::new(path))
    } else {
        Err(format!("no {}: build all binaries", path.display()).into())
    }
}

fn typescript() -> Result<Command> {
    let mut program = Command::new("node");
    program.arg(pipe::sdks()?.join("sessions.mjs"));
    Ok(program)
}

fn python() -> Result<Command> {
    let folder = pipe::sdks()?;
    let mut program = Command::new(folder.join("venv/bin/python"));
    program.arg(folder.join("sessions.py"));
    Ok(program)
}
