//! Sessions in a store: a conversation goes on on another host, and has one writer.
//!
//! With [`SessionBuilder::store`](crate::SessionBuilder::store) everything that the CLI writes to its transcripts is also
//! stored, and a session that is resumed comes from the store. The local files are what is stored: while the store is away they
//! keep the lines, and no memory does.
//!
//! - A result reaches the application once its lines are stored, or after [`StoreOptions::result_delay`].
//! - If the store has [claims](claw_store::Claims), the session is claimed before the CLI starts. A session that
//!   another process has is refused: [`Error::store`](crate::Error::store) names who has it. A claim that is lost ends
//!   the CLI, with all of its processes, before another host can take the session.
//! - A store that is away ends nothing. It is told as a [`MirrorError`](claw_types::message::MirrorError) among the messages,
//!   and the lines are stored when it is back.

mod config;
mod lease;
mod lines;
mod mirror;
mod options;
mod origin;
mod source;
mod start;
mod task;
mod timely;

pub use claw_store::*;
pub use mirror::Mirror;
pub use options::{StoreOptions, project_name};

pub(crate) use lines::Lines;
pub(crate) use start::Prepared;

#[cfg(test)]
mod tests;
