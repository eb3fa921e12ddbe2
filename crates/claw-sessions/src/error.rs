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
    /// A title without a letter.
    #[error("a title needs more than white space")]
    EmptyTitle,
    /// A tag of which nothing is left once the characters are taken out that nobody sees.
    #[error("a tag needs a character that can be seen")]
    EmptyTag,
    /// There is nothing in the session that a fork could begin with.
    #[error("session {id} has no messages to fork")]
    NothingToFork {
        /// The session.
        id: String,
    },
    /// The message that a fork should end with is not in the session.
    #[error("there is no message {message} in session {id}")]
    NoSuchMessage {
        /// The session.
        id: String,
        /// The message.
        message: String,
    },
    /// The transcript was written anew, and not only appended to, while it was read. Another try may succeed.
    #[error("{} was changed while it was read", path.display())]
    Changed {
        /// The transcript.
        path: PathBuf,
    },
    /// A line of the transcript is longer than what is held in memory.
    #[error("line {line} of {} is over the limit of 256 MiB", path.display())]
    LineTooLong {
        /// The transcript.
        path: PathBuf,
        /// The line's number, counted from 1.
        line: u64,
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
