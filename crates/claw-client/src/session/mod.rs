//! The interface of a session for a program: configuration and start, prompts, and messages as streams, answers or
//! events. A query is a session that ends when the CLI has finished its work.
//!
//! This layer imports all layers below it. Only `pool` and `blocking` are above it.

pub(crate) mod ask;
pub(crate) mod builder;
pub(crate) mod compact;
#[cfg(feature = "store")]
pub(crate) mod defer;
pub(crate) mod events;
#[cfg(feature = "mcp")]
mod mcp;
pub(crate) mod mention;
pub(crate) mod messages;
pub(crate) mod prompt;
pub(crate) mod text;
