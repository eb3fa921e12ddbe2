//! The outcomes of sessions, turns and calls: received lines, results with their answers, and errors.
//!
//! This layer imports no other layer.

pub(crate) mod answer;
pub(crate) mod error;
#[cfg(feature = "schemars")]
pub(crate) mod output;
pub(crate) mod received;
pub(crate) mod result;
pub(crate) mod usage;
pub(crate) mod version;
