#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod archived;
mod chain;
mod continued;
mod cursor;
mod ends;
mod entries;
mod error;
mod file;
mod home;
mod info;
mod lines;
mod list;
mod messages;
mod prompt;
mod scan;
mod session;
mod slug;
mod subagents;
mod time;
mod worktrees;

pub use entries::{Entries, EntryLine, LineError};
pub use error::Error;
pub use home::Sessions;
pub use list::{List, Listing};
pub use messages::{History, Messages};
pub use session::Session;
pub use slug::slug;
pub use subagents::{Subagent, Subagents};
