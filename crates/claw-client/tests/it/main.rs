//! Sessions and queries, against the scripted agent and against the real CLI.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail like tests"
)]

mod agent;
mod ends;
#[cfg(target_os = "linux")]
mod faults;
mod lines;
mod permissions;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod real_cli;
mod requests;
mod slow;
mod turns;
