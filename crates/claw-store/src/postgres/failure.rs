//! Which kind of [`StoreError`] an error of the server or of a connection is.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::StoreError;

/// What went wrong with a statement.
#[derive(Debug)]
pub(super) struct Failure {
    kind: Kind,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// The server refused, and would refuse again.
    Refused,
    /// The server refused only this time.
    Busy,
    /// The server holds invalid data.
    Corrupt,
    /// There was no answer.
    Silent,
}

impl Failure {
    /// Before the server was told to commit: nothing was stored, whatever happened.
    pub(super) fn uncommitted(self) -> StoreError {
        match self.kind {
            Kind::Refused => StoreError::refused(self.text),
            Kind::Corrupt => StoreError::corrupt(self.text),
            Kind::Busy | Kind::Silent => StoreError::unavailable(self.text),
        }
    }

    /// Of a statement behind which a commit was sent: if the server says that the statement failed, the commit was a
    /// rollback.
    pub(super) fn committing(self) -> StoreError {
        match self.kind {
            Kind::Silent => StoreError::uncertain(self.text),
            _ => self.uncommitted(),
        }
    }

    /// Of the commit itself, which may have been done in spite of the error.
    pub(super) fn commit(self) -> StoreError {
        StoreError::uncertain(self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Some(error) = error.as_db_error() {
            return Self {
                kind: kind(error.code()),
                // Not its details, which may quote what was to be stored.
                text: text(error),
            };
        }
        let cause = error.source();
        let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
        let kind = match (cause, io) {
            // A message that cannot be encoded, such as one over the protocol's limit.
            (_, Some(io)) if io.kind() == io::ErrorKind::InvalidInput => Kind::Refused,
            (None, _) | (_, Some(_)) => Kind::Silent,
            // Such as a certificate that is not trusted, or a value of another type than its column should have.
            (Some(_), None) => Kind::Refused,
        };
        let text = match cause {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        Self { kind, text }
    }
}

fn text(error: &DbError) -> String {
    let message: String = error.message().chars().take(300).collect();
    format!("{message} (SQLSTATE {})", error.code().code())
}

fn kind(code: &SqlState) -> Kind {
    // A standby, or what was the primary server until a moment ago.
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION || *code == SqlState::LOCK_NOT_AVAILABLE {
        return Kind::Busy;
    }
    match code.code().get(..2) {
        // Connection, idle in a transaction, deadlock, resources, an operator's shutdown or cancel, the system.
        Some("08" | "25" | "40" | "53" | "57" | "58") => Kind::Busy,
        // Constraints: rows that this crate did not write.
        Some("23") => Kind::Corrupt,
        _ => Kind::Refused,
    }
}

/// Of rows that cannot be read.
pub(super) fn corrupt(what: impl Into<String>) -> StoreError {
    StoreError::corrupt(what.into())
}

/// Of a statement before whose commit something else would have to happen.
pub(super) fn uncommitted(error: Error) -> StoreError {
    Failure::from(error).uncommitted()
}

/// Of a column whose value is not of the type that it should be.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(super) fn unreadable(error: Error) -> StoreError {
    match error.source() {
        Some(cause) => corrupt(format!("{error}: {cause}")),
        None => corrupt(error.to_string()),
    }
}

impl StoreError {
    /// After a question, which stores nothing also where the answer is missing.
    pub(super) fn nothing_stored(self) -> Self {
        match self {
            Self::Uncertain(source) => Self::Unavailable(source),
            error => error,
        }
    }
}
