//! Errors of sessions in a store.

use std::io;
use std::path::PathBuf;

use crate::{SessionRef, StoreError};

/// The reason why a session in a store could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The store returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// claw-sessions returned an error, for example because the session's files on this disk could not be read.
    #[error(transparent)]
    Sessions(#[from] claw_sessions::Error),
    /// The store has no such session.
    #[error("there is no session {session} in the store")]
    NotFound {
        /// The project (`*` for all projects) and the ID of the session.
        session: String,
    },
    /// The CLI of an earlier process of this host still writes the session. After this CLI has ended, the same call may
    /// succeed.
    #[error("the CLI of an earlier process (process {pid}) still writes session {session}")]
    InUse {
        /// The session.
        session: SessionRef,
        /// The CLI's process ID.
        pid: u32,
    },
    /// Several sessions of the store have an ID that begins with the given text, or several projects have a session
    /// with the given ID.
    #[error("{id:?} begins the IDs of {count} sessions in the store")]
    Ambiguous {
        /// The searched text.
        id: String,
        /// The number of sessions that match.
        count: usize,
    },
    /// The session in the store is larger than the [`Limits`](crate::Limits) allow.
    #[error("session {session} is over the limit of {most} {what}")]
    LimitExceeded {
        /// The session that is too large.
        session: SessionRef,
        /// What exceeds the limit, such as `bytes`.
        what: &'static str,
        /// The limit that the session exceeds.
        most: u64,
    },
    /// The permission request cannot be deferred. The conversation does not end with the tool use, or a sub-agent
    /// requested it.
    #[error("the tool use cannot be deferred: the conversation does not end with it")]
    NotDeferrable,
    /// The store lacks a capability that the call needs.
    #[error("the store cannot {0}")]
    Lacks(&'static str),
    /// A file operation failed.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// The failed operation, in words such as `cannot write`.
        what: &'static str,
        /// The path of the file or folder.
        path: PathBuf,
        /// The cause.
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

    /// Whether the store has no such session.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
            || matches!(self, Self::Sessions(error) if error.is_not_found())
    }
}
