//! The outcome of a command, and its exit code.

use std::error::Error;
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use crate::escape::escape;

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    ErrorResult,
    Usage,
    NotStarted,
    Unreadable,
    BrokeOff,
    /// The session has answered, but a tool use was denied.
    Denied,
    /// A limit has ended the turn: the maximum number of turns, the budget, or a usage limit of the account.
    LimitReached,
    NotLoggedIn,
    /// A required MCP server is not connected.
    McpMissing,
    Interrupted,
    /// The signal with this number has ended the command.
    Signalled(u8),
}

impl Outcome {
    /// The outcome if the reader of stdout has exited. 13 is the number of SIGPIPE.
    pub(crate) const STDOUT_CLOSED: Self = Self::Signalled(13);

    /// Returns the outcome of a session that has ended with an error. If the session does not exist, the outcome is
    /// `NotStarted`, no matter whether claw or the CLI reports this.
    pub(crate) fn of_session(error: &claw_client::Error) -> Self {
        if error.is_launch_failure() || error.is_session_not_found() {
            Self::NotStarted
        } else {
            Self::BrokeOff
        }
    }

    /// Returns the outcome of a failed write to stdout. Prints an error, unless the reader has closed stdout.
    pub(crate) fn unwritten(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::STDOUT_CLOSED,
            _ => report(error, Self::BrokeOff),
        }
    }
}

/// These numbers are documented, and must not change.
impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Success => 0,
            Outcome::ErrorResult => 1,
            Outcome::Usage => 2,
            Outcome::NotStarted | Outcome::Unreadable => 3,
            Outcome::BrokeOff => 4,
            Outcome::Denied => 5,
            Outcome::LimitReached => 6,
            Outcome::NotLoggedIn => 7,
            Outcome::McpMissing => 8,
            Outcome::Interrupted => 130,
            Outcome::Signalled(number) => 128 + number,
        })
    }
}

/// Prints an error to stderr.
pub(crate) fn report(error: &dyn Error, outcome: Outcome) -> Outcome {
    write_stderr(&format!("claw: {}\n", escape(&error.to_string())));
    outcome
}

/// Writes an escaped text to stderr. Ignores a failed write.
pub(crate) fn write_stderr(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}
