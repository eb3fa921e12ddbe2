//! Every adapter does what a store has to do.
#![expect(clippy::expect_used, reason = "helpers of tests fail like tests")]

mod memory;
#[cfg(unix)]
mod postgres;
