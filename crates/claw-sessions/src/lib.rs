#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod archive;
mod archived;
mod aside;
mod chain;
mod continued;
mod cursor;
mod delete;
mod ends;
mod entries;
mod error;
mod file;
mod fork;
mod home;
mod info;
mod lines;
mod list;
mod members;
mod messages;
mod now;
mod prompt;
mod scan;
mod session;
mod slug;
mod subagents;
mod tag;
mod time;
mod title;
mod worktrees;

pub use entries::{Entries, EntryLine, LineError};
pub use error::Error;
pub use fork::Fork;
pub use home::Sessions;
pub use list::{List, Listing};
pub use messages::{History, Messages};
pub use session::Session;
pub use slug::slug;
pub use subagents::{Subagent, Subagents};

/// The code of the guide to lists and history is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/history.md")]
struct HistoryGuide;
