//! Stand-ins for testing programs that drive Claude Code.
//!
//! - [`agent`]: a scripted agent, which stands in for `claude` itself, in process or as a program;
//! - [`cost`]: how the work grows with its input, in instructions (with valgrind, so on Linux);
//! - `api` (feature `api`): a scripted Messages API on loopback, for the real `claude`.
//!
//! Both are scripted with data, hold at [`Gates`] that a test opens (so that no test has to
//! sleep), and make the same ids in every run.
#![forbid(unsafe_code)]

pub mod agent;
#[cfg(feature = "api")]
pub mod api;
mod block;
mod claude;
#[cfg(target_os = "linux")]
pub mod cost;
mod gate;

pub use block::{Block, Content, Hold};
pub use claude::claude;
pub use gate::Gates;
