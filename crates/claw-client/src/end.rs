//! How a session ended, for all who waited for something of it.

use std::io;
use std::path::PathBuf;

use claw_codec::Line;
use claw_transport::{Exit, Process, TransportError};

use crate::engine::CallError;
use crate::{Error, OLDEST_CLI};

/// Why nothing more comes.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// It was ended from here.
    Closed,
    /// The process ended, or closed its stdout.
    Exited {
        pid: Option<u32>,
        exit: Exit,
        stderr: String,
        /// The line that it was writing.
        cut: Option<Line>,
    },
    /// The process ended because it did not find the session that it was to resume.
    SessionElsewhere {
        id: String,
        cwd: Option<PathBuf>,
        file: PathBuf,
    },
    /// The process ended because there is no such session to resume.
    SessionNotFound { id: String },
    /// The pipe failed.
    Io { kind: io::ErrorKind, text: String },
    /// The handshake failed.
    Refused(CallError),
    /// It is too old.
    TooOld { found: String },
    /// It does not read its stdin, and so many bytes wait for it.
    NotReading { waiting: usize },
}

impl End {
    pub(crate) fn exited(process: &Process, exit: Exit) -> Self {
        match process.exit_error(exit) {
            TransportError::SessionElsewhere { id, cwd, file } => {
                Self::SessionElsewhere { id, cwd, file }
            }
            TransportError::SessionNotFound { id, .. } => Self::SessionNotFound { id },
            TransportError::Exited { pid, exit, stderr } => Self::Exited {
                pid,
                exit,
                stderr,
                cut: None,
            },
            other => Self::io(&io::Error::other(other)),
        }
    }

    pub(crate) fn io(error: &io::Error) -> Self {
        Self::Io {
            kind: error.kind(),
            text: error.to_string(),
        }
    }

    /// Whether it did not begin because it did not find the session to go on with.
    pub(crate) fn is_session_not_found(&self) -> bool {
        matches!(
            self,
            Self::SessionNotFound { .. } | Self::SessionElsewhere { .. }
        )
    }

    pub(crate) fn error(&self) -> Error {
        match self {
            Self::Closed => Error::Closed,
            Self::Exited {
                pid,
                exit,
                stderr,
                cut,
            } => Error::Exited {
                pid: *pid,
                exit: *exit,
                stderr: stderr.clone(),
                cut: cut.clone(),
            },
            Self::SessionElsewhere { id, cwd, file } => TransportError::SessionElsewhere {
                id: id.clone(),
                cwd: cwd.clone(),
                file: file.clone(),
            }
            .into(),
            Self::SessionNotFound { id } => TransportError::SessionNotFound {
                id: id.clone(),
                looked_in: None,
            }
            .into(),
            Self::Io { kind, text } => {
                Error::Transport(TransportError::Io(io::Error::new(*kind, text.clone())))
            }
            Self::Refused(error) => call_error(error.clone(), None),
            Self::TooOld { found } => Error::CliTooOld {
                found: found.clone(),
                needed: OLDEST_CLI.to_owned(),
            },
            Self::NotReading { waiting } => Error::NotReading { waiting: *waiting },
        }
    }
}

/// The error of a call, which may have failed because the session ended.
pub(crate) fn call_error(error: CallError, end: Option<&End>) -> Error {
    match error {
        CallError::Refused {
            subtype,
            error,
            code,
        } => Error::Control {
            subtype,
            error,
            code,
        },
        CallError::Timeout { subtype, after } => Error::Timeout {
            what: subtype,
            after,
        },
        CallError::Unreadable { subtype, reason } => Error::BadAnswer { subtype, reason },
        CallError::Unwritable { subtype, reason } => Error::BadRequest {
            what: subtype,
            reason,
        },
        CallError::NotTaken { option } => Error::NotTaken { option },
        CallError::TooOld { found } => End::TooOld { found }.error(),
        CallError::Backlogged => Error::Backlogged,
        CallError::Ended => end.map_or(Error::Closed, End::error),
    }
}
