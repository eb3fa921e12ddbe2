//! Sessions and queries, against the scripted agent and against the real CLI.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail like tests"
)]

mod agent;
#[cfg(feature = "store")]
mod apart;
mod arguments;
mod asking;
#[cfg(feature = "blocking")]
mod blocking;
mod bounds;
mod callbacks;
mod compacting;
#[cfg(all(unix, feature = "blocking", feature = "mcp"))]
mod conform;
mod conversation;
mod current_thread;
mod cut_short;
mod delivery;
mod drops;
mod ends;
mod events;
mod examples;
mod faults;
mod first_run;
#[cfg(feature = "store")]
mod hostile_stores;
mod in_process;
mod kills;
mod lines;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod permissions;
#[cfg(feature = "pool")]
mod pool;
#[cfg(feature = "pool")]
mod pool_drops;
#[cfg(feature = "pool")]
mod pool_limits;
#[cfg(feature = "pool")]
mod pool_spares;
mod proc;
mod process;
mod proxy;
mod real_cli;
mod recording;
mod replay;
mod requests;
mod results;
mod send;
mod slow;
mod soak;
mod stalls;
#[cfg(feature = "store")]
mod store_claims;
mod suspended;
mod turns;
mod versions;
mod volume;
