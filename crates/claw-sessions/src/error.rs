//! What can go wrong with sessions on disk.

use std::io;
use std::path::PathBuf;

/// Why something about a session could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no folder of a user to look in: neither `CLAUDE_CONFIG_DIR` nor a home.
    #[error("there is no home to look for sessions in: set CLAUDE_CONFIG_DIR")]
    NoHome,
    /// There is no session of this name.
    #[error("there is no session {id} in {}", looked_in.display())]
    NotFound {
        /// Its name.
        id: String,
        /// The folder that was looked in.
        looked_in: PathBuf,
    },
    /// The name is not one of a session: a UUID.
    #[error("{id:?} is not the id of a session, which is a UUID")]
    InvalidId {
        /// The name.
        id: String,
    },
    /// Lines of a transcript are no JSON objects, or are over 256 MiB. They are passed over.
    #[error("{count} broken lines in {}, the first is line {first}", path.display())]
    Broken {
        /// The transcript.
        path: PathBuf,
        /// The first such line's number, counted from 1.
        first: u64,
        /// How many there are.
        count: u64,
    },
    /// The system did not do what was asked for.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// What could not be done, such as `cannot read`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        Self::Io { what, path, source }
    }

    /// Whether there is no such session.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}
