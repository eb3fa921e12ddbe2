//! The outcome of a command, and its exit code.

use std::error::Error;
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
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Success => 0,
            Outcome::ErrorResult => 1,
            Outcome::Usage => 2,
            Outcome::NotStarted | Outcome::Unreadable => 3,
            Outcome::BrokeOff => 4,
            Outcome::Interrupted => 130,
        })
    }
}

/// Prints an error to stderr.
pub(crate) fn report(error: &dyn Error, outcome: Outcome) -> Outcome {
    anstream::eprintln!("claw: {}", escape(&error.to_string()));
    outcome
}
