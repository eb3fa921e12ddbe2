//! Turns through Restate's server, with workers, the real CLI and a scripted API, all on loopback.
#![cfg(unix)]

mod approvals;
mod cuts;
mod http;
mod interrupts;
mod place;
mod restate;
mod turns;
