//! Turns through Restate's server, with workers, the real CLI and a scripted API, all on loopback.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test that fails says where"
)]

mod approvals;
mod cuts;
mod http;
mod interrupts;
mod place;
mod processes;
mod restate;
mod rolling;
mod turns;
