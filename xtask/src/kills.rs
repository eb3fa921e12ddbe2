//! `cargo xtask kills`: ends `claw serve` at random moments, with SIGTERM and SIGKILL, and checks that every accepted
//! prompt is still there.

use xtask::claude;
use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

/// The command line of `cargo xtask kills`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of times that a server is ended with each of the two signals.
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// The number of sessions, with two prompts each.
    #[arg(long, default_value_t = 50)]
    sessions: usize,
}

/// Runs the tests of claw-cli with these numbers.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let mut test = cargo("test");
    test.env(claude::VARIABLE, claude::install(&workspace)?);
    test.env("CLAW_TEST_ENDS", args.runs.to_string());
    test.env("CLAW_TEST_ENDS_SESSIONS", args.sessions.to_string());
    test.args([
        "--package",
        "claw-cli",
        "--all-features",
        "--test",
        "it",
        "serve_ends::",
    ]);
    // The tests run one after the other, because each of them uses the whole machine.
    run(test.args(["--", "--nocapture", "--test-threads=1"]))
}
