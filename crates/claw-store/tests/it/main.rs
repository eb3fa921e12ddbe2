//! Runs the conformance suite with the stores in memory and in a folder, and tests how sessions are checked out,
//! imported and synchronised.
#![expect(clippy::unwrap_used, reason = "a test ends where something fails")]

mod changes;
mod fs;
mod indexed;
mod memory;
mod stored;
mod summaries;
mod synced;
mod watched;
