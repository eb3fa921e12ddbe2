//! `cargo xtask logins`: measures processes of the real CLI that share one login beyond the expiry of its access token:
//! started directly, in a pool, and in `claw serve`.

use std::env;
use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::path::PathBuf;
use std::process::Command;

use claw_client::Session;
use claw_client::pool::Pool;
use claw_client::types::QueryOptions;
use futures::future::join_all;
use xtask::claude;
use xtask::run::{Result, run};
use xtask::workspace::Workspace;

use xtask::built;

/// The command line of `cargo xtask logins`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of processes that share the login.
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// Be the pool that the measurement starts: for each line of the input, ask as many sessions of this CLI, and print
    /// the number of answers.
    #[arg(long, value_name = "CLI", hide = true)]
    pool: Option<PathBuf>,
}

/// Runs the program, which needs python3 and openssl.
pub(crate) fn main(args: &Args) -> Result {
    if let Some(cli) = &args.pool {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        return runtime.block_on(pool(cli.display().to_string(), args.processes));
    }
    let workspace = Workspace::read()?;
    let mut python = Command::new("python3");
    python.arg(workspace.root.join("conformance/src/logins/logins.py"));
    python.arg(claude::install(&workspace)?);
    python.arg(args.processes.to_string());
    python.arg(env::current_exe()?);
    run(python.arg(built::program(
        "claw-cli",
        "claw",
        &["--features", "serve"],
    )?))
}

/// Runs a pool with as many processes as sessions. All sessions are asked at once.
async fn pool(cli: String, count: usize) -> Result {
    let pool = Pool::builder().processes(count).starts(count).build();
    let options = QueryOptions::default().path_to_claude_code_executable(cli);
    let sessions: Vec<_> = (0..count)
        .map(|_| pool.session(options.clone(), Session::builder))
        .collect();
    // No other task may run while this loop waits for a line.
    for line in stdin().lock().lines() {
        line?;
        let answers = join_all(sessions.iter().map(|session| session.ask("Say yes."))).await;
        for error in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            eprintln!("{error}");
        }
        let answered = answers
            .iter()
            .filter(|answer| answer.as_ref().is_ok_and(|text| text == "Yes."));
        writeln!(stdout(), "{}", answered.count())?;
    }
    drop(sessions);
    pool.wait_for_endings().await;
    Ok(())
}
