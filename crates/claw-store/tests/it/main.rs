//! Every adapter does what a store has to do, and sessions go in and out.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something fails"
)]

#[cfg(unix)]
mod bucket;
mod changes;
#[cfg(unix)]
mod faults;
mod fs;
#[cfg(unix)]
mod given;
mod memory;
#[cfg(unix)]
mod postgres;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod redis;
mod stored;
mod summaries;
