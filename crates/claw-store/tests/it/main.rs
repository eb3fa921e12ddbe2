//! The stores in memory and in a folder do what a store has to do, and sessions go in and out.
#![expect(clippy::unwrap_used, reason = "a test ends where something fails")]

mod changes;
mod fs;
mod memory;
mod stored;
mod summaries;
mod synced;
mod watched;
