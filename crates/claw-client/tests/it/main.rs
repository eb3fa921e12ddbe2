//! Sessions and queries, against the scripted agent and against the real CLI.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail like tests"
)]

mod agent;
mod asking;
#[cfg(target_os = "linux")]
mod bounds;
mod callbacks;
mod conversation;
#[cfg(target_os = "linux")]
mod cut_short;
mod delivery;
#[cfg(target_os = "linux")]
mod drops;
mod ends;
mod examples;
#[cfg(target_os = "linux")]
mod faults;
mod first_run;
#[cfg(target_os = "linux")]
mod kills;
mod lines;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
mod permissions;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod real_cli;
mod replay;
mod requests;
mod send;
mod slow;
#[cfg(target_os = "linux")]
mod soak;
mod turns;
mod versions;
#[cfg(target_os = "linux")]
mod volume;
