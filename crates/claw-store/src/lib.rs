#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod adapter;
#[cfg(feature = "object-store")]
mod bucket;
mod claims;
mod copy;
mod digest;
mod error;
#[cfg(feature = "fs")]
mod fs;
mod key;
mod line;
mod memory;
mod names;
mod open;
mod planned;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
mod store;
mod stored;
mod summary;

#[cfg(feature = "redis")]
#[cfg_attr(docsrs, doc(cfg(feature = "redis")))]
pub use self::redis::{ForeignRedis, RedisBuilder, RedisStore};
#[cfg(feature = "object-store")]
#[cfg_attr(docsrs, doc(cfg(feature = "object-store")))]
pub use bucket::{BucketBuilder, BucketStore, ForeignBucket};
pub use claims::{Claim, Claims, Epoch, Owner};
pub use claw_sessions::Changes;
pub use copy::{copy_session, copy_sessions, copy_transcript};
pub use error::{Retry, Source, StoreError};
#[cfg(feature = "fs")]
#[cfg_attr(docsrs, doc(cfg(feature = "fs")))]
pub use fs::FsStore;
pub use key::{KeyError, SessionRef, StoreKey, Subpath};
pub use line::{Line, LineError};
pub use memory::MemoryStore;
pub use open::open;
pub use planned::Planned;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub use postgres::{ForeignPostgres, ForeignTable, PostgresBuilder, PostgresStore};
pub use store::{
    Appended, Batch, DeleteSession, ListSessions, ListSubkeys, ListedSession, ReadSessions,
    SessionStore, StoredLine, WriterId,
};
pub use stored::{
    Brought, CheckedOut, Checkout, Deferred, DeferredAnswer, Difference, Import, ImportProblem,
    Imported, Kept, KeptNotice, Limits, LocalSession, Outcome, Recovered, StoredError, StoredFork,
    StoredListing, StoredSession, StoredSessions, agent_metadata, is_mirrored, kept_notices,
};
pub use summary::Summary;
