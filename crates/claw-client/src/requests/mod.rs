//! Requests of the CLI to the host. Callbacks and hooks answer them, or the application answers them as data.
//!
//! This layer imports `outcome`, `engine`, `waiting` and `handle`.

pub(crate) mod answer;
pub(crate) mod callbacks;
pub(crate) mod context;
pub(crate) mod decide;
pub mod hook;
pub(crate) mod incoming;
pub(crate) mod permission;
pub(crate) mod token;
