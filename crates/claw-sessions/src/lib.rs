#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod archive;
mod archived;
mod chain;
mod change;
mod config_dirs;
mod continued;
mod conversation;
mod cursor;
mod delete;
mod entries;
mod error;
mod export;
mod file;
mod fork;
mod head_tail;
mod home;
mod info;
mod lines;
mod list;
mod members;
mod messages;
#[cfg(feature = "tokio")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio")))]
pub mod on_pool;
mod prompt;
mod real_path;
mod records;
mod relocate;
mod repair;
mod rewound;
mod running;
mod scan;
mod scope;
mod search;
mod session;
mod shared_project_name;
mod sidecar;
mod slug;
mod stream;
mod subagents;
mod summary;
mod tag;
#[cfg(test)]
mod testing;
mod time;
mod title;
mod usage;
#[cfg(feature = "watch")]
#[cfg_attr(docsrs, doc(cfg(feature = "watch")))]
mod watch;
mod worktrees;

pub use change::Changes;
pub use conversation::{Branches, Conversation, ConversationItem};
pub use entries::{Entries, EntryLine, LineError};
pub use error::Error;
pub use fork::Fork;
pub use home::Sessions;
pub use list::{List, Listing};
pub use messages::{History, Messages};
pub use real_path::real_path;
pub use records::records;
pub use relocate::{
    LeftInPlace, LeftReason, MissingDirectory, Relocated, RelocatedDirectory, Relocation,
};
pub use repair::{Repair, RepairChange, RepairEffect, RepairProblem, Repaired};
pub use rewound::Rewound;
pub use running::RunningClaude;
pub use scope::Found;
pub use search::{Hit, Hits, LineHit, LineSearch, LineTexts, Search, UnsearchedLine};
pub use session::Session;
pub use shared_project_name::shared_project_name;
pub use slug::slug;
pub use subagents::{Subagent, Subagents};
pub use summary::Summary;
pub use usage::{
    Cost, Count, Estimate, LongPrices, ModelPrices, Prices, PricesError, Rates, SessionAnswers,
    SessionUsage, Terms, Tokens, UNDATED, Usage, UsageCache, UsageExtract, UsageOfMany,
    UsageReport, UsageSource, Usd, Zone, usage_csv,
};
#[cfg(feature = "watch")]
#[cfg_attr(docsrs, doc(cfg(feature = "watch")))]
pub use watch::{
    Change, Cursor, Growth, Index, IndexBuilder, Indexed, NoCursor, Page, PageQuery, WatchAll,
    WatchOne, Watching,
};

/// The code of the guide is compiled with the tests.
#[cfg(all(doctest, feature = "watch", feature = "tokio"))]
#[doc = include_str!("../../../docs/guides/usage.md")]
struct Guide;

/// The code of the guide is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/changing.md")]
struct Changing;

/// The code of the guide to lists and history is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/history.md")]
struct HistoryGuide;
