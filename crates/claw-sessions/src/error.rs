//! Errors of sessions on disk.

use std::io;
use std::path::PathBuf;

/// The reason why a session could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration folder is unknown: neither `CLAUDE_CONFIG_DIR` nor a home is set.
    #[error("there is no home to look for sessions in: set CLAUDE_CONFIG_DIR")]
    NoHome,
    /// No session has this ID.
    #[error("there is no session {id} in {}", paths(searched))]
    NotFound {
        /// The searched ID.
        id: String,
        /// The folders that were searched.
        searched: Vec<PathBuf>,
    },
    /// Several configuration folders have a session with this ID.
    #[error(
        "session {id} is in several configuration folders: {}",
        paths(config_dirs)
    )]
    InSeveral {
        /// The ID of the sessions.
        id: String,
        /// The configuration folders of the sessions.
        config_dirs: Vec<PathBuf>,
    },
    /// More configuration folders were named than are used together.
    #[error(
        "at most {} configuration folders are used together",
        crate::Sessions::MOST_CONFIG_DIRS
    )]
    TooManyConfigDirs,
    /// The text is not a session ID, which is a UUID.
    #[error("{id:?} is not the id of a session, which is a UUID")]
    InvalidId {
        /// The text that is not an ID.
        id: String,
    },
    /// The IDs of several sessions begin with this text.
    #[error("{prefix:?} begins the ids of {count} sessions: {}", listed(ids, *count))]
    Ambiguous {
        /// The searched text.
        prefix: String,
        /// The number of sessions whose IDs begin with the text.
        count: usize,
        /// The IDs of the first sessions that match, at most ten.
        ids: Vec<String>,
    },
    /// The text is not a day of the calendar.
    #[error("{day:?} is not a day, such as 2026-11-25")]
    InvalidDay {
        /// The text that is not a day.
        day: String,
    },
    /// The output of an export could not be written.
    #[error("cannot write: {0}")]
    Write(io::Error),
    /// The title is empty.
    #[error("a title needs more than white space")]
    EmptyTitle,
    /// The tag consists of invisible characters only. Tags cannot contain such characters, so the tag would be empty.
    #[error("a tag needs a character that can be seen")]
    EmptyTag,
    /// Only some of the requested changes were made.
    #[error("only a part was changed ({written}): {source}")]
    PartlyChanged {
        /// The changes that were made. The text is `archived` or `unarchived` if only that change was made. If several
        /// projects have the session and it was changed in only some of them, the text lists the session's folders in
        /// those projects, separated by commas.
        written: String,
        /// The error that prevented the other changes.
        source: Box<Error>,
    },
    /// The session has no message with which a fork could begin.
    #[error("session {id} has no messages to fork")]
    NothingToFork {
        /// The ID of the session.
        id: String,
    },
    /// The message that a fork should end with is not in the session.
    #[error("there is no message {message} in session {id}")]
    NoSuchMessage {
        /// The ID of the session.
        id: String,
        /// The UUID of the message.
        message: String,
    },
    /// The old and the new path of a directory whose sessions should be moved are the same.
    #[error("{} is both the old and the new directory", path.display())]
    SameDirectory {
        /// The path of the directory.
        path: PathBuf,
    },
    /// While the transcript was read, another program rewrote it instead of appending to it. Another attempt may
    /// succeed.
    #[error("{} was changed while it was read", path.display())]
    Changed {
        /// The path of the transcript.
        path: PathBuf,
    },
    /// A line of the transcript is too long to be held in memory.
    #[error("line {line} of {} is over the limit of 256 MiB", path.display())]
    LineTooLong {
        /// The path of the transcript.
        path: PathBuf,
        /// The line's number, counted from 1.
        line: u64,
    },
    /// Lines of a transcript are not valid, for example not JSON objects, or are too long to be held in memory. They
    /// are skipped.
    #[error("{count} broken lines in {}, the first is line {first}", path.display())]
    Broken {
        /// The path of the transcript.
        path: PathBuf,
        /// The number of the first line that is not valid, counted from 1.
        first: u64,
        /// The number of lines that are not valid.
        count: u64,
    },
    /// A file operation failed.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// The failed operation, in words such as `cannot read`.
        what: &'static str,
        /// The path of the file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        Self::Io { what, path, source }
    }

    /// Returns the file or folder that could not be read or written, if it is known.
    #[cfg(feature = "watch")]
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Io { path, .. } | Self::Broken { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether a file or folder does not exist.
    #[cfg(feature = "watch")]
    pub(crate) fn is_missing_path(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the session does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

fn paths(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}

fn listed(ids: &[String], count: usize) -> String {
    let more = if count > ids.len() { ", …" } else { "" };
    ids.join(", ") + more
}
