//! Sessions and queries, against the scripted agent and against the real CLI.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail like tests"
)]

mod agent;
#[cfg(all(feature = "store", target_os = "linux"))]
mod apart;
mod arguments;
mod asking;
#[cfg(feature = "blocking")]
mod blocking;
#[cfg(target_os = "linux")]
mod bounds;
mod callbacks;
mod conversation;
#[cfg(target_os = "linux")]
mod current_thread;
#[cfg(target_os = "linux")]
mod cut_short;
mod delivery;
#[cfg(target_os = "linux")]
mod drops;
mod ends;
mod events;
mod examples;
#[cfg(target_os = "linux")]
mod faults;
mod first_run;
#[cfg(all(feature = "store", target_os = "linux"))]
mod hostile_stores;
mod in_process;
#[cfg(target_os = "linux")]
mod kills;
mod lines;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
mod permissions;
#[cfg(all(feature = "pool", target_os = "linux"))]
mod pool;
#[cfg(feature = "pool")]
mod pool_limits;
#[cfg(all(feature = "pool", target_os = "linux"))]
mod pool_spares;
#[cfg(target_os = "linux")]
mod proc;
mod process;
#[cfg(target_os = "linux")]
mod proxy;
mod real_cli;
#[cfg(target_os = "linux")]
mod recording;
mod replay;
mod requests;
mod results;
mod send;
mod slow;
#[cfg(target_os = "linux")]
mod soak;
mod stalls;
#[cfg(all(feature = "store", target_os = "linux"))]
mod store_claims;
#[cfg(target_os = "linux")]
mod suspended;
mod turns;
mod versions;
#[cfg(target_os = "linux")]
mod volume;
