//! Sessions and queries, against the scripted agent and against the real CLI.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail like tests"
)]

mod agent;
mod delivery;
mod ends;
mod lines;
mod permissions;
mod process;
mod real_cli;
mod requests;
mod slow;
mod turns;
