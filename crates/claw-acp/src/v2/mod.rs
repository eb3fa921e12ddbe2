//! Version 2 of the protocol, according to its draft.
//!
//! The rest of the crate uses the types of version 1. This module converts them to the types of version 2. It also adds
//! the reports about a session's foreground work, which only version 2 has. They replace the response at the end of a
//! turn.

mod agent;
mod convert;
mod diff;
mod link;
mod sender;
mod setup;
mod tool;
mod update;
mod work;

pub(crate) use agent::agent;
pub(crate) use diff::carry;
pub(crate) use link::Link;
pub(crate) use work::Work;
