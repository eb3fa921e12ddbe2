//! Calls: what the host wants of the CLI. (What the CLI wants of the host is a request: `requests.rs`.)
//!
//! Each method of [`Session`](crate::Session) here makes a [`Call`]: a future of the answer, with a
//! time-out of its own. Its errors are those of [`Session::call`](crate::Session::call), which takes
//! every kind, with all that can be said in it.

mod call;
mod changes;
mod mcp;
mod reads;
mod waiting;

pub use call::Call;
pub(crate) use waiting::{Answer, Waiting};
