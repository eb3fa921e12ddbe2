//! From the prompt to the first message: a cold start, a spare of a pool, and the TypeScript SDK's `startup()`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use claw_client::Session;
use claw_client::pool::{Pool, PooledSession};
use claw_client::types::{Map, Message, QueryOptions};
use claw_testkit::api::{Api, scenarios};
use futures::StreamExt as _;
use serde::Deserialize;

use crate::pipe::{measured, typescript};
use crate::rounds::{interval, median};
use crate::{Result, agent};

const ROUNDS: usize = 50;

/// Times in milliseconds from the prompt.
#[derive(Clone, Copy, Deserialize)]
struct Took {
    /// To the first message: `system/init`.
    first: f64,
    /// To the first message of the model.
    assistant: f64,
}

/// Measures with the real CLI and the scripted API. The contestants take turns.
pub(crate) fn main() -> Result {
    let executable = claw_testkit::claude()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let api = runtime.block_on(Api::start(scenarios::text()))?;
    let home = tempfile::tempdir()?;
    let options = options(&api, home.path(), &executable);
    let names = [
        "claw, cold",
        "claw, spare",
        "TypeScript query()",
        "TypeScript startup()",
    ];
    let mut times: [Vec<Took>; 4] = Default::default();
    for round in 0..=ROUNDS {
        let row = [
            runtime.block_on(cold(&options))?,
            runtime.block_on(spare(&options))?,
            typescript_sdk(&api, home.path(), &executable, "cold")?,
            typescript_sdk(&api, home.path(), &executable, "warm")?,
        ];
        // The first start fills the machine's caches.
        if round > 0 {
            for (times, took) in times.iter_mut().zip(row) {
                times.push(took);
            }
        }
    }
    println!("{ROUNDS} interleaved runs, milliseconds from the prompt; of a cold start of claw");
    for (what, of) in [
        ("the first message", (|took| took.first) as fn(&Took) -> f64),
        ("the model's first message", |took| took.assistant),
    ] {
        println!(
            "\n{what:<26}{:>9}{:>18}{:>14}{:>18}",
            "median", "95 % interval", "of cold", "95 % interval"
        );
        let [cold, ..] = &times;
        for (name, theirs) in names.iter().zip(&times) {
            let mut all: Vec<f64> = theirs.iter().map(of).collect();
            let mut parts: Vec<f64> = theirs
                .iter()
                .zip(cold)
                .map(|(their, cold)| of(their) / of(cold))
                .collect();
            let (low, high) = interval(&mut all);
            let (least, most) = interval(&mut parts);
            println!(
                "{name:<26}{:>9.0}{:>18}{:>14.2}{:>18}",
                median(&mut all),
                format!("{low:.0} to {high:.0}"),
                median(&mut parts),
                format!("{least:.2} to {most:.2}")
            );
        }
    }
    Ok(())
}

/// Options with the environment of [`surround`](crate::start::surround), for a CLI that this process starts.
pub(crate) fn options(api: &Api, home: &Path, executable: &Path) -> QueryOptions {
    let mut env = Map::default();
    for (name, _) in std::env::vars() {
        if name.starts_with("ANTHROPIC") || name.starts_with("CLAUDE") {
            env.insert(name, None);
        }
    }
    for (name, value) in api.env() {
        env.insert(name, Some(value));
    }
    for name in [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
    ] {
        env.insert(name, Some("1".to_owned()));
    }
    env.insert("HOME", Some(home.display().to_string()));
    agent::options(executable.to_owned()).env(env).cwd(home)
}

async fn cold(options: &QueryOptions) -> Result<Took> {
    let pool = Pool::builder().processes(2).build();
    turn(&pool.session(options.clone(), Session::builder)).await
}

async fn spare(options: &QueryOptions) -> Result<Took> {
    let pool = Pool::builder()
        .processes(1)
        .spares(1, options.clone(), Session::builder)
        .build();
    while pool.stats().spares == 0 {
        if pool.stats().spare_failures > 0 {
            return Err("the spare has failed".into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    settle().await;
    let took = turn(&pool.session(options.clone(), Session::builder)).await?;
    if pool.stats().claims != 1 {
        return Err(format!("no spare was taken over: {:?}", pool.stats()).into());
    }
    Ok(took)
}

/// Waits, because a ready process still works in the background. `startup()` gets the same time.
async fn settle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

async fn turn(session: &PooledSession) -> Result<Took> {
    let begun = Instant::now();
    let mut turn = session.send("Go").await?;
    let (mut first, mut assistant) = (None, None);
    let passed = || begun.elapsed().as_secs_f64() * 1e3;
    while let Some(received) = turn.next().await {
        match received?.into_result()? {
            Message::SystemInit(_) => first = first.or(Some(passed())),
            Message::Assistant(_) => assistant = assistant.or(Some(passed())),
            _ => {}
        }
    }
    Ok(Took {
        first: first.ok_or("no system/init")?,
        assistant: assistant.ok_or("no message of the model")?,
    })
}

/// Runs the TypeScript SDK in a separate process, which prints the times that it measured from its prompt.
fn typescript_sdk(api: &Api, home: &Path, executable: &Path, what: &str) -> Result<Took> {
    let mut program: Command = typescript()?;
    crate::start::surround(&mut program, api, home);
    measured(program.args([what.as_ref(), executable.as_os_str()]))
}
