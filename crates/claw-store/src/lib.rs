#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod claims;
mod copy;
mod error;
mod key;
mod line;
mod memory;
mod planned;
#[cfg(feature = "postgres")]
mod postgres;
mod store;
mod summary;

pub use claims::{Claim, Claims, Epoch, Owner};
pub use copy::{copy_session, copy_transcript};
pub use error::{Retry, Source, StoreError};
pub use key::{KeyError, SessionRef, StoreKey, Subpath};
pub use line::{Line, LineError};
pub use memory::MemoryStore;
pub use planned::Planned;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub use postgres::{ForeignPostgres, ForeignTable, PostgresBuilder, PostgresStore};
pub use store::{
    Appended, Batch, DeleteSession, ListSessions, ListSubkeys, ListedSession, SessionStore,
    StoredLine, WriterId,
};
pub use summary::Summary;
