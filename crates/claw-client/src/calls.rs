//! Calls: requests of the host to the CLI. (For requests of the CLI to the host, see
//! `requests.rs`.)
//!
//! Each method of [`Session`](crate::Session) here creates a [`Call`]: a future of the response,
//! with its own timeout. Its errors are those of [`Session::call`](crate::Session::call), which
//! takes every kind with all of its fields.

mod call;
mod changes;
mod mcp;
mod reads;
mod waiting;

pub use call::Call;
pub(crate) use waiting::{Answer, Waiting};
