//! `cargo xtask restate`: installs Restate's server for the tests of claw-restate. The command can also run these tests
//! with more kills, sessions and turns than the gate does. Their output contains the figures of
//! `docs/deploying/restate.md`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::run::{Result, cargo, run};
use crate::workspace::Workspace;
use crate::{claude, npm};

/// The environment variable from which tests read the path of the server.
pub const VARIABLE: &str = "CLAW_TEST_RESTATE";

/// The version of the server with which the tests run.
const VERSION: &str = "1.7.12";

/// The command line of `cargo xtask restate`.
#[derive(clap::Args)]
pub struct Args {
    /// Run the long tests of claw-restate, and print their figures. Needs haproxy and Postgres.
    #[arg(long)]
    long: bool,
    /// With --long: the number of times that a worker is killed in mid-turn.
    #[arg(long, default_value_t = 20)]
    kills: usize,
    /// With --long: the number of sessions of the crowd.
    #[arg(long, default_value_t = 200)]
    sessions: usize,
    /// With --long: the number of prompts in each session of the crowd.
    #[arg(long, default_value_t = 5)]
    prompts: usize,
    /// With --long: the number of turns that are measured, and measured again with `claw serve`.
    #[arg(long, default_value_t = 100)]
    turns: usize,
}

/// Installs the server, and prints its path or runs the long tests with it.
///
/// # Errors
/// Fails with the same errors as [`install`]. Also fails if a test fails.
pub fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let server = install(&workspace)?;
    if !args.long {
        println!("{}", server.display());
        return Ok(());
    }
    run(cargo("build").args(["--package", "claw-cli", "--all-features"]))?;
    let claw = format!("claw{}", env::consts::EXE_SUFFIX);
    let mut test = cargo("test");
    test.env(claude::VARIABLE, claude::install(&workspace)?);
    test.env(VARIABLE, server);
    test.env(
        "CLAW_TEST_RESTATE_CLAW",
        workspace.debug_directory().join(claw),
    );
    test.env("CLAW_TEST_RESTATE_KILLS", args.kills.to_string());
    test.env("CLAW_TEST_RESTATE_SESSIONS", args.sessions.to_string());
    test.env("CLAW_TEST_RESTATE_PROMPTS", args.prompts.to_string());
    test.env("CLAW_TEST_RESTATE_TURNS", args.turns.to_string());
    // All prompts of the many sessions are sent at the same time, so most of them are queued.
    test.env("CLAW_TEST_RESTATE_MINUTES", "120");
    test.args([
        "--package",
        "claw-restate",
        "--all-features",
        "--test",
        "it",
    ]);
    test.args(["--", "--nocapture"]);
    // The tests run one after the other, because each of them uses the whole machine.
    test.arg("--test-threads=1");
    run(test.args(["kills::", "many_sessions", "overhead::", "rolling::"]))
}

/// Returns the path of the server. Installs it from npm if it is not installed.
///
/// # Errors
/// Fails if npm is missing or fails, or if there is no server for this platform.
pub fn install(workspace: &Workspace) -> Result<PathBuf> {
    let prefix = workspace.ci_directory().join(format!("restate-{VERSION}"));
    if let Some(found) = installed(&prefix) {
        return Ok(found);
    }
    npm::install(
        &prefix,
        &[&format!("@restatedev/restate-server@{VERSION}")],
        &[],
    )?;
    installed(&prefix).ok_or_else(|| {
        let folder = prefix.display();
        format!("npm succeeded, but no Restate server for this platform is in {folder}").into()
    })
}

/// Returns the executable of the server. It is in one of the platform packages below `prefix`.
fn installed(prefix: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(prefix.join("node_modules/@restatedev")).ok()?;
    let name = format!("bin/restate-server{}", env::consts::EXE_SUFFIX);
    let mut found = packages.flatten().map(|package| package.path().join(&name));
    found.find(|path| path.is_file())
}
