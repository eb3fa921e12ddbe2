//! The testkit from outside.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod agent;
mod api;
mod client;
#[cfg(unix)]
mod faults;
mod program;
