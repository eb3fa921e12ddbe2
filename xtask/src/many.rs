//! `cargo xtask many`: runs several hosts of `claw serve` with one Postgres and the real CLI, with more kills and
//! sessions than the tests, and prints the figures of `docs/deploying/many-hosts.md`.

use xtask::claude;
use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

/// The command line of `cargo xtask many`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of times that a host is killed in mid-turn.
    #[arg(long, default_value_t = 20)]
    kills: usize,
    /// The number of times that a host is disconnected from the store for longer than a claim lasts.
    #[arg(long, default_value_t = 10)]
    cuts: usize,
    /// The number of sessions of the crowd.
    #[arg(long, default_value_t = 60)]
    sessions: usize,
    /// The number of prompts in each session of the crowd.
    #[arg(long, default_value_t = 5)]
    prompts: usize,
}

/// Runs the tests of claw-cli with these numbers. Many sessions run on three hosts, on one host, and on three hosts
/// without a store.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let claude = claude::install(&workspace)?;
    let crowd = "serve_many::crowd::many_sessions";
    let mut done = Vec::new();
    for (hosts, store, tests) in [
        ("3", "1", "serve_many::"),
        ("1", "1", crowd),
        ("3", "0", crowd),
    ] {
        let mut test = cargo("test");
        test.env(claude::VARIABLE, &claude);
        test.env("CLAW_TEST_MANY", args.kills.to_string());
        test.env("CLAW_TEST_MANY_CUTS", args.cuts.to_string());
        test.env("CLAW_TEST_MANY_CROWD", args.sessions.to_string());
        test.env("CLAW_TEST_MANY_PROMPTS", args.prompts.to_string());
        test.env("CLAW_TEST_MANY_HOSTS", hosts);
        test.env("CLAW_TEST_MANY_STORE", store);
        test.env("CLAW_TEST_MANY_TIMES", "1");
        test.args([
            "--package",
            "claw-cli",
            "--all-features",
            "--test",
            "it",
            tests,
        ]);
        // The tests run one after the other, because each of them uses the whole machine.
        done.push(run(test.args(["--", "--nocapture", "--test-threads=1"])));
    }
    done.into_iter().collect()
}
