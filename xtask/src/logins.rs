//! `cargo xtask logins`: processes of the real CLI that share one login, over the end of its access token.

use std::process::Command;

use xtask::claude;
use xtask::run::{Result, run};
use xtask::workspace::Workspace;

/// The command line of `cargo xtask logins`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many processes share the login.
    #[arg(long, default_value_t = 8)]
    processes: usize,
}

/// Runs the program, which needs python3 and openssl.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let mut python = Command::new("python3");
    python.arg(workspace.root.join("xtask/src/logins.py"));
    python.arg(claude::install(&workspace)?);
    run(python.arg(args.processes.to_string()))
}
