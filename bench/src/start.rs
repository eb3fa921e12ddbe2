//! From the call to the first message.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use claw_client::transport::Subprocess;
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt as _;
use serde_json::json;

use crate::agent::{self, Flood};
use crate::pipe::{claw, python, took, typescript};
use crate::rounds::{interval, median, quantile};
use crate::{Result, block_on};

const ROUNDS: usize = 200;
/// Fewer rounds, because each starts a CLI and takes seconds.
const REAL_ROUNDS: usize = 100;

/// Measures the time that claw itself adds, with a program that starts immediately.
pub(crate) fn main() -> Result {
    let flood = Flood::of("stream_event", 1)?;
    let mut bare = Vec::new();
    let mut ours = Vec::new();
    for _ in 0..ROUNDS {
        let mut program = Command::new(agent::program()?);
        program.envs(flood.env());
        bare.push(spawn(program)?);
        let options = flood.options()?;
        let begun = Instant::now();
        block_on(async {
            let mut messages = claw_client::query("Go", options).await?;
            messages.try_next().await?;
            ours.push(begun.elapsed().as_secs_f64() * 1e3);
            messages.session().close().await
        })??;
    }
    let mut overhead: Vec<f64> = ours.iter().zip(&bare).map(|(a, b)| a - b).collect();
    println!("{ROUNDS} interleaved runs, in milliseconds");
    for (name, values) in [
        ("bare spawn", &mut bare),
        ("claw", &mut ours),
        ("over it", &mut overhead),
    ] {
        println!(
            "{name:<12} median {:>7.2}   90 % {:>7.2}",
            median(values),
            quantile(values, 0.9)
        );
    }
    Ok(())
}

/// Measures the real CLI with claw and with the other SDKs, each in a separate process.
pub(crate) fn real() -> Result {
    let executable = claw_testkit::claude()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let api = runtime.block_on(Api::start(scenarios::text()))?;
    let home = tempfile::tempdir()?;
    let of = |mut program: Command| {
        surround(&mut program, &api, home.path());
        took(program, &executable, "start").map(|took| took.seconds * 1e3)
    };
    let names = ["bare", "claw", "TypeScript SDK", "Python SDK"];
    let mut times: [Vec<f64>; 4] = Default::default();
    for round in 0..=REAL_ROUNDS {
        let mut bare = Command::new(&executable);
        surround(&mut bare, &api, home.path());
        configure(&mut bare, &executable)?;
        let row = [
            spawn(bare)?,
            of(claw()?)?,
            of(typescript()?)?,
            of(python()?)?,
        ];
        // The first start fills the machine's caches.
        if round > 0 {
            for (times, time) in times.iter_mut().zip(row) {
                times.push(time);
            }
        }
    }
    println!("{REAL_ROUNDS} interleaved runs, in milliseconds");
    println!(
        "{:<16}{:>9}{:>16}{:>26}",
        "", "median", "claw less it", "95 % interval of that"
    );
    let [_, claw, ..] = &times;
    for (name, theirs) in names.iter().zip(&times) {
        let mut less: Vec<f64> = claw.iter().zip(theirs).map(|(a, b)| a - b).collect();
        let (low, high) = interval(&mut less);
        println!(
            "{name:<16}{:>9.0}{:>16.1}{:>26}",
            median(&mut theirs.clone()),
            median(&mut less),
            format!("{low:.1} to {high:.1}")
        );
    }
    Ok(())
}

/// Adds the arguments with which claw starts the CLI, because they determine its work at the start.
pub(crate) fn configure(program: &mut Command, executable: &Path) -> Result {
    let command = Subprocess::new(&agent::options(executable.to_owned())).command()?;
    program.args(command.args);
    for (name, value) in command.env {
        match value {
            Some(value) => program.env(name, value),
            None => program.env_remove(name),
        };
    }
    Ok(())
}

/// Sets a separate environment for the CLI, in which it uses only loopback.
pub(crate) fn surround(program: &mut Command, api: &Api, home: &Path) {
    for (name, _) in std::env::vars() {
        if name.starts_with("ANTHROPIC") || name.starts_with("CLAUDE") {
            program.env_remove(name);
        }
    }
    program
        .envs(api.env())
        .env("HOME", home)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .current_dir(home);
}

/// Milliseconds from the spawn of a program to its first message, with only the handshake that every SDK performs.
fn spawn(mut program: Command) -> Result<f64> {
    let begun = Instant::now();
    let mut program = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = program.stdin.take().ok_or("no stdin")?;
    let initialize =
        json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}});
    writeln!(stdin, "{initialize}")?;
    let mut lines = BufReader::new(program.stdout.take().ok_or("no stdout")?).lines();
    loop {
        let line = lines.next().ok_or("it ended")??;
        if line.starts_with("{\"type\":\"control_response\"") {
            let prompt = json!({"type": "user", "message": {"role": "user", "content": "Go"}, "parent_tool_use_id": null});
            writeln!(stdin, "{prompt}")?;
        } else {
            break;
        }
    }
    let took = begun.elapsed().as_secs_f64() * 1e3;
    drop(stdin);
    program.kill()?;
    program.wait()?;
    Ok(took)
}
