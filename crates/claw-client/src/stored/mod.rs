//! Copies the transcripts of a running session to its store, and begins sessions from a store.
//!
//! The public module `store` re-exports what programs need. This layer imports `outcome`, `engine` and `waiting`.

mod config;
mod lease;
mod leases;
mod lines;
mod mirror;
mod options;
mod origin;
mod recovery;
mod running;
mod source;
mod start;
mod task;
mod timely;
mod unstored;

pub use lease::Lease;
pub use leases::Leases;
pub use mirror::Mirror;
pub use options::{StoreOptions, project_name};
pub use recovery::{bring, recover};
pub use unstored::Unstored;

pub(crate) use lines::Lines;
pub(crate) use start::Prepared;

#[cfg(test)]
mod tests;
