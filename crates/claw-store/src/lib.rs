#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod adapter;
mod claims;
mod copy;
mod digest;
mod error;
#[cfg(feature = "fs")]
mod fs;
mod key;
mod leftovers;
mod line;
mod memory;
mod open;
mod planned;
mod pool;
mod store;
mod stored;
mod summary;

pub use claims::{Claim, Claims, Epoch, Owner};
pub use claw_sessions::Changes;
pub use copy::{copy_session, copy_sessions, copy_transcript};
pub use error::{Retry, Source, StoreError};
#[cfg(feature = "fs")]
#[cfg_attr(docsrs, doc(cfg(feature = "fs")))]
pub use fs::FsStore;
pub use key::{KeyError, SessionRef, StoreKey, Subpath};
pub use leftovers::{FindLeftovers, Leftover, LeftoverState};
pub use line::{Line, LineError};
pub use memory::MemoryStore;
pub use open::{open, open_foreign};
pub use planned::Planned;
pub use store::{
    Appended, Batch, DeleteSession, ListSessions, ListSubkeys, ListedSession, ReadSessions,
    SessionStore, StoredLine, WriterId,
};
pub use stored::{
    Brought, CheckedOut, Checkout, Deferred, DeferredAnswer, Difference, Import, ImportProblem,
    Imported, IndexedUsage, Kept, KeptNotice, LeftOut, Limits, LinesLeftOut, LocalSession, Outcome,
    Pull, PullOutcome, Pulled, Recovered, SessionIndex, SessionSync, StoredError, StoredFork,
    StoredHit, StoredListing, StoredSession, StoredSessions, SyncOutcome, Synced, agent_metadata,
    is_mirrored, kept_notices,
};
pub use summary::Summary;

/// The code of the guide is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/syncing.md")]
struct Syncing;
