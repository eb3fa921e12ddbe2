#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod archive;
mod aside;
mod chain;
mod cursor;
mod day;
mod delete;
mod ends;
mod entries;
mod error;
mod export;
mod file;
mod home;
mod info;
mod lines;
mod list;
mod members;
mod messages;
mod now;
mod prompt;
mod scan;
mod scope;
mod search;
mod session;
mod slug;
mod stream;
mod subagents;
mod tag;
mod time;
mod title;
mod usage;

pub use entries::{Entries, EntryLine, LineError};
pub use error::Error;
pub use home::Sessions;
pub use list::{List, Listing};
pub use messages::{History, Messages};
pub use search::{Hit, Hits, Search};
pub use session::Session;
pub use slug::slug;
pub use subagents::{Subagent, Subagents};
pub use usage::{Cost, Count, SessionUsage, Tokens, UNDATED, Usage, UsageOfMany, UsageReport};
