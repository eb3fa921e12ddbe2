//! Stand-ins for testing programs that talk to Claude Code.
#![forbid(unsafe_code)]

#[cfg(feature = "api")]
pub mod api;
mod block;
mod gate;

pub use block::{Block, Content, Hold};
pub use gate::Gates;
