//! The integration tests, in one binary.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of test functions"
)]

mod answers;
mod endings;
mod fixtures;
mod flow;
#[cfg(feature = "html")]
mod folded;
#[cfg(target_os = "linux")]
mod growth;
mod hostile;
mod live;
mod mapping;
#[cfg(feature = "html")]
mod markdown;
mod patterns;
mod progress;
mod recording;
#[cfg(feature = "schema")]
mod schema;
mod screen;
mod sentences;
mod sessions;
mod tools;
mod turns;
mod work;
mod wrapped;
mod wrapper;
