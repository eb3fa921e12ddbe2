//! Maps errors of the server and of connections to [`StoreError`].

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::StoreError;

/// The error of a statement.
#[derive(Debug)]
pub(super) struct Failure {
    kind: Kind,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// The server refused the statement, and would refuse it again.
    Refused,
    /// The server refused the statement for a temporary reason.
    Busy,
    /// The server holds invalid data.
    Corrupt,
    /// No response arrived.
    Silent,
}

impl Failure {
    /// Maps a failure before the commit was sent. Nothing was stored.
    pub(super) fn uncommitted(self) -> StoreError {
        match self.kind {
            Kind::Refused => StoreError::refused(self.text),
            Kind::Corrupt => StoreError::corrupt(self.text),
            Kind::Busy | Kind::Silent => StoreError::unavailable(self.text),
        }
    }

    /// Maps the failure of a statement that was sent together with a commit. If the server reports that the statement
    /// failed, the commit was a rollback.
    pub(super) fn committing(self) -> StoreError {
        match self.kind {
            Kind::Silent => StoreError::uncertain(self.text),
            _ => self.uncommitted(),
        }
    }

    /// Maps the failure of the commit itself. The transaction may be committed in spite of the error.
    pub(super) fn commit(self) -> StoreError {
        StoreError::uncertain(self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Some(error) = error.as_db_error() {
            return Self {
                kind: kind(error.code()),
                // Leaves out the error's details, which may quote data of the batch.
                text: text(error),
            };
        }
        let cause = error.source();
        let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
        let kind = match (cause, io) {
            // A message that cannot be encoded, such as one over the protocol's limit.
            (_, Some(io)) if io.kind() == io::ErrorKind::InvalidInput => Kind::Refused,
            (None, _) | (_, Some(_)) => Kind::Silent,
            // For example, an untrusted certificate, or a value whose type differs from its column.
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
    // The server is a standby, or was the primary server until now.
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION || *code == SqlState::LOCK_NOT_AVAILABLE {
        return Kind::Busy;
    }
    match code.code().get(..2) {
        // The classes of errors: connection, idle in a transaction, deadlock, resources, an operator's shutdown or
        // cancel, system.
        Some("08" | "25" | "40" | "53" | "57" | "58") => Kind::Busy,
        // Violated constraints: rows that this crate did not write.
        Some("23") => Kind::Corrupt,
        _ => Kind::Refused,
    }
}

/// Returns the error for rows that cannot be parsed.
pub(super) fn corrupt(what: impl Into<String>) -> StoreError {
    StoreError::corrupt(what.into())
}

/// Maps the error of a statement in a transaction that is not committed yet.
pub(super) fn uncommitted(error: Error) -> StoreError {
    Failure::from(error).uncommitted()
}

/// Returns the error for a column whose value has the wrong type.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(super) fn unreadable(error: Error) -> StoreError {
    match error.source() {
        Some(cause) => corrupt(format!("{error}: {cause}")),
        None => corrupt(error.to_string()),
    }
}

impl StoreError {
    /// Maps the error of a query. A query stores nothing, even if its response is missing.
    pub(super) fn nothing_stored(self) -> Self {
        match self {
            Self::Uncertain(source) => Self::Unavailable(source),
            error => error,
        }
    }
}
