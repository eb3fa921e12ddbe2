//! Long runs of claw, by `cargo xtask soak`: a program with sessions and a pool, a server with viewers, and a server
//! that is ended again and again. Their `claude` processes are killed at random, and their store is paused and
//! restarted.
//!
//! The run fails if an answer is lost or doubled, if a process stays, or if memory, descriptors, threads, processes,
//! temporary files or disk of the hosts grow (`growth.rs` has the rule).
//!
//! The executable of the run also plays two of its processes: the scripted `claude`, if it is started under that name,
//! and the program with the pool, if it is started as `claw-soak library`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};

mod agent;
mod chaos;
mod client;
mod ends;
mod growth;
mod hosts;
mod library;
mod picture;
mod run;
mod samples;
mod steady;
mod tally;
mod viewers;

type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Run claw's hosts for hours, with kills and outages, and fail if anything grows, is lost or stays.
#[derive(Parser)]
#[command(name = "cargo xtask soak", bin_name = "cargo xtask soak")]
struct Run {
    /// How long the run takes.
    #[arg(long, default_value_t = 2.0)]
    hours: f64,
    /// How long the run takes, in minutes.
    #[arg(long, conflicts_with = "hours")]
    minutes: Option<f64>,
    /// What the random choices begin with. Default: a new one, which is printed.
    #[arg(long)]
    seed: Option<u64>,
    /// The pause between two actions of one actor, in milliseconds. A longer one takes less of the processor.
    #[arg(long, default_value_t = 2_000, value_name = "MS")]
    pace: u64,
    /// The pause between two samples, in seconds.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    sample: f64,
    /// Where `soak.csv` and `soak.svg` are written.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    out: PathBuf,
    /// Leak on purpose, in the program with the pool. The run has to fail.
    #[arg(long)]
    leak: Option<Leak>,
    /// The `claw` that serves.
    #[arg(long, env = "CLAW_SOAK_CLAW", hide = true)]
    claw: PathBuf,
    /// The real CLI.
    #[arg(long, env = "CLAW_TEST_CLAUDE", hide = true)]
    claude: PathBuf,
}

/// The resources that can be leaked on purpose.
#[derive(Clone, Copy, ValueEnum)]
enum Leak {
    Memory,
    Descriptors,
    Threads,
    Processes,
    Files,
}

impl Run {
    fn duration(&self) -> Duration {
        let minutes = self.minutes.unwrap_or(self.hours * 60.0);
        Duration::from_secs_f64(minutes * 60.0)
    }
}

fn main() -> ExitCode {
    if agent::is_called() {
        return agent::main();
    }
    let is_library = std::env::args()
        .nth(1)
        .is_some_and(|part| part == library::NAME);
    let done = block_on(async {
        if is_library {
            library::main().await
        } else {
            run::main(&Run::parse()).await
        }
    });
    match done.map_err(Into::into).and_then(|done| done) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A runtime of one thread, as most programs that drive a CLI have.
fn block_on<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(future))
}
