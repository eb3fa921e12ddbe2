//! What can go wrong between us and a CLI process.

mod ended;

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use claw_types::escape;
use claw_types::options::InvalidOption;

pub use ended::{Exited, SessionNotFound};

/// Why a CLI could not be started, or why its connection ended.
///
/// Its text can be printed: what it quotes is [escaped](escape), so that it steers no terminal. It is a whole
/// sentence; `source` has only what that does not say. `Debug` shows the same text and its causes, so that a `main`
/// may return this error.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The working directory does not exist, or is no directory.
    #[error("the working directory {} does not exist", shown(path))]
    CwdMissing {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// No `claude` was found.
    #[error(
        "claude was not found: install it with `npm install -g @anthropic-ai/claude-code`, or name its path in \
         `path_to_claude_code_executable` or CLAW_CLAUDE_PATH (looked at {})",
        list(looked_in)
    )]
    NotFound {
        /// Every place that was looked at, once and in order.
        looked_in: Vec<PathBuf>,
    },
    /// The file is there, but the system cannot run it.
    #[error("{} exists, but could not be started: {reason}", shown(path))]
    NotLaunchable {
        /// The file.
        path: PathBuf,
        /// What this most likely means.
        reason: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Windows would hand a batch file and its arguments to a shell; such a file is not started.
    #[error(
        "{} is a batch file, which is not started: name claude.exe itself",
        shown(path)
    )]
    BatchFile {
        /// The file.
        path: PathBuf,
    },
    /// The hook that [`set_launch_hook`](crate::set_launch_hook) has set gave this error. Nothing was
    /// started.
    #[error("the launch hook failed, so that nothing was started: {}", escape(&.0.to_string()))]
    LaunchHook(io::Error),
    /// An option, or two together, that the CLI would refuse or misread.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// The session that was to be resumed is not kept where `claude` looks for it, or this `claude` does not
    /// find it. claw says so before the start where it knows it for certain; `claude` says so, and ends, where
    /// claw does not.
    #[error("{0}")]
    SessionNotFound(Box<SessionNotFound>),
    /// The process ended.
    #[error("{0}")]
    Exited(Box<Exited>),
    /// The process is still there after SIGKILL and the last wait. It is reaped when it ends.
    #[error("process {pid} did not end, not even on SIGKILL")]
    Stuck {
        /// The process.
        pid: u32,
    },
    /// A recording cannot be played.
    #[error(
        "line {line} of what was written to the recorded claude cannot be read: {}",
        escape(reason)
    )]
    BadRecording {
        /// Which of the lines that the CLI was sent, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A pipe, a file or a thread failed.
    #[error("{}", escape(&.0.to_string()))]
    Io(io::Error),
}

impl TransportError {
    /// Whether there is no CLI to start (as against one that fails).
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Whether nothing was started: trying again without a change is of no use.
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
            Self::Exited(_) | Self::Stuck { .. } | Self::Io(_) => false,
        }
    }

    /// Whether a process ran, and ended.
    pub fn is_exited(&self) -> bool {
        self.exited().is_some()
    }

    /// Whether there is no session of that name to resume, or none that this CLI finds from its working
    /// directory.
    pub fn is_session_not_found(&self) -> bool {
        self.session_not_found().is_some()
    }

    /// How the process ended, where one ran and ended: also where it ended because it did not find the session.
    pub fn exited(&self) -> Option<&Exited> {
        match self {
            Self::Exited(exited) => Some(exited),
            Self::SessionNotFound(session) => session.exited.as_ref(),
            _ => None,
        }
    }

    /// Which session was not found, where that was it.
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

/// Its text says what the system said, so that the system's error is no `source`.
impl From<io::Error> for TransportError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a `main` that returns it shows: the text, and what its causes add to it.
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

/// The launch hook was not set: a process was launched before, or one is set already.
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
