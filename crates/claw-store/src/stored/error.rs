//! What can go wrong with sessions in a store.

use std::io;
use std::path::PathBuf;

use crate::{SessionRef, StoreError};

/// Why something about a session in a store could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was made of the session on this disk could not be read or written.
    #[error(transparent)]
    Sessions(#[from] claw_sessions::Error),
    /// The store has no such session.
    #[error("there is no session {session} in the store")]
    NotFound {
        /// The project, or `*` for all, and the ID.
        session: String,
    },
    /// Several sessions of the store have an ID that begins so, or several projects have a session of this ID.
    #[error("{id:?} begins the IDs of {count} sessions in the store")]
    Ambiguous {
        /// What was looked for.
        id: String,
        /// How many there are.
        count: usize,
    },
    /// The store has more of the session than is taken.
    #[error("session {session} is over the limit of {most} {what}")]
    OverLimit {
        /// The session.
        session: SessionRef,
        /// What there is too much of: such as `bytes`.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// The store lacks a capability that this needs.
    #[error("the store cannot {0}")]
    Lacks(&'static str),
    /// The system did not do what was asked for.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// What could not be done, such as `cannot write`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl StoredError {
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        Self::Io { what, path, source }
    }

    pub(super) fn not_found(session: &SessionRef) -> Self {
        Self::NotFound {
            session: session.to_string(),
        }
    }

    /// Whether there is no such session.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
            || matches!(self, Self::Sessions(error) if error.is_not_found())
    }
}
