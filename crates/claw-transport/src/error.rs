//! Errors at the start of a CLI process and on its connection.

mod ended;

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use claw_types::escape;
use claw_types::options::InvalidOption;

use crate::recorder::RecordingFailed;
pub use ended::{Exited, SessionNotFound};

/// The reason why a CLI could not be started, or why its connection ended.
///
/// The error's text can be printed safely: quoted parts are [escaped](escape), so that they cannot control a terminal.
/// The text is a complete message; `source` returns only what the text does not contain. `Debug` shows the same text
/// with its causes, so that `main` may return this error.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The working directory does not exist or is not a directory.
    #[error(
        "the working directory {} does not exist or is no directory",
        shown(path)
    )]
    CwdMissing {
        /// The path of the working directory.
        path: PathBuf,
    },
    /// No `claude` was found.
    #[error(
        "claude was not found: install it with `npm install -g @anthropic-ai/claude-code`, or name its path in \
         `path_to_claude_code_executable` or CLAW_CLAUDE_PATH (looked at {})",
        list(searched)
    )]
    NotFound {
        /// The places that were searched, in order and without duplicates.
        searched: Vec<PathBuf>,
    },
    /// The file of the program exists, but the system cannot run it.
    #[error("{} exists, but could not be started: {reason}", shown(path))]
    NotLaunchable {
        /// The path of the file.
        path: PathBuf,
        /// The most likely reason for the system's error.
        reason: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The program is a batch file. Windows would pass it and its arguments to a shell, so it is not started.
    #[error(
        "{} is a batch file, which is not started: name claude.exe itself",
        shown(path)
    )]
    BatchFile {
        /// The path of the file.
        path: PathBuf,
    },
    /// The hook set by [`set_launch_hook`](crate::set_launch_hook) returned this error. Nothing was started.
    #[error("the launch hook failed, so that nothing was started: {}", escape(&.0.to_string()))]
    LaunchHook(io::Error),
    /// An option, or a combination of options, is not allowed, because the CLI refuses or misinterprets it.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// The session to resume does not exist where `claude` looks for sessions, or this `claude` does not find it from
    /// its working directory. If claw finds this out before the start, claw reports the error and starts no process.
    /// Otherwise `claude` starts, reports the error and exits.
    #[error("{0}")]
    SessionNotFound(Box<SessionNotFound>),
    /// The process ended.
    #[error("{0}")]
    Exited(Box<Exited>),
    /// The process still runs after a complete shutdown, which ends with SIGKILL and a last wait. claw reaps the
    /// process when it ends.
    #[error("process {pid} did not end, not even on SIGKILL")]
    Stuck {
        /// The process ID.
        pid: u32,
    },
    /// A recording cannot be replayed.
    #[error(
        "line {line} of what was written to the recorded claude cannot be read: {}",
        escape(reason)
    )]
    BadRecording {
        /// The number of the defective line in the recorded input of the CLI, counted from 1.
        line: u64,
        /// The defect of the line.
        reason: String,
    },
    /// The [`Recorder`](crate::Recorder) could not write its recording. The error's text names the folder, if it is
    /// known.
    #[error("{}", escape(&.0.to_string()))]
    Recording(io::Error),
    /// An operation on a pipe, a file or a thread failed.
    #[error("{}", escape(&.0.to_string()))]
    Io(io::Error),
}

impl TransportError {
    /// Whether no CLI was found. `false` if a CLI was found but fails.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Whether the error occurred before a process was started. In this case, a retry fails in the same way until the
    /// cause is removed.
    pub fn is_launch_failure(&self) -> bool {
        match self {
            Self::CwdMissing { .. }
            | Self::NotFound { .. }
            | Self::NotLaunchable { .. }
            | Self::BatchFile { .. }
            | Self::LaunchHook(_)
            | Self::InvalidOption(_)
            | Self::BadRecording { .. } => true,
            Self::SessionNotFound(session) => session.exited.is_none(),
            Self::Exited(_) | Self::Stuck { .. } | Self::Recording(_) | Self::Io(_) => false,
        }
    }

    /// Whether a process had been started and has ended. In this case, [`exited`](Self::exited) returns how it ended.
    pub fn is_exited(&self) -> bool {
        self.exited().is_some()
    }

    /// Whether the session to resume does not exist, or this CLI does not find it from its working directory.
    pub fn is_session_not_found(&self) -> bool {
        self.session_not_found().is_some()
    }

    /// Returns how the process ended, if a process ran and has ended. This includes a process that ended because it did
    /// not find the session to resume.
    pub fn exited(&self) -> Option<&Exited> {
        match self {
            Self::Exited(exited) => Some(exited),
            Self::SessionNotFound(session) => session.exited.as_ref(),
            _ => None,
        }
    }

    /// Returns the details if the error is that the session to resume was not found.
    pub fn session_not_found(&self) -> Option<&SessionNotFound> {
        match self {
            Self::SessionNotFound(session) => Some(session),
            _ => None,
        }
    }

    pub(crate) fn invalid(option: &'static str, reason: impl Into<String>) -> Self {
        Self::InvalidOption(InvalidOption::new(option, reason))
    }
}

/// The error's own text already contains the text of the system's error, so `source` does not return the system's
/// error.
impl From<io::Error> for TransportError {
    fn from(error: io::Error) -> Self {
        match error.get_ref() {
            Some(inner) if inner.is::<RecordingFailed>() => Self::Recording(error),
            _ => Self::Io(error),
        }
    }
}

/// Shows the error's text, followed by the texts of its causes. The output is therefore readable if `main` returns the
/// error.
impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {}", escape(&error.to_string()))?;
            cause = error.source();
        }
        Ok(())
    }
}

/// The error that [`set_launch_hook`](crate::set_launch_hook) returns if it is called too late: a process was launched
/// before, or a hook is already set. The new hook was not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a launch hook is set once, before the first process is launched")]
#[non_exhaustive]
pub struct LaunchHookTooLate;

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<_> = paths.iter().map(|path| shown(path)).collect();
    shown.join(", ")
}

fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests;
