//! The integration tests, in one binary.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of test functions"
)]

mod endings;
mod fixtures;
mod flow;
mod hostile;
mod live;
mod mapping;
mod patterns;
#[cfg(test)]
mod progress;
#[cfg(feature = "schema")]
mod schema;
mod sessions;
mod tools;
mod wrapper;
