//! Maps errors of the server and of connections to [`StoreError`].

use std::error::Error as _;
use std::io;

use claw_store::StoreError;
use claw_store::adapter::{Failure, FailureKind as Kind};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

/// Maps the error of a statement.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(crate) fn failure(error: Error) -> Failure {
    if let Some(error) = error.as_db_error() {
        return Failure {
            kind: kind(error.code()),
            // The details of the error are left out, because they may quote data of the batch.
            text: text(error),
        };
    }
    let cause = error.source();
    let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    let kind = match (cause, io) {
        // The message cannot be encoded, for example because it exceeds the protocol's limit.
        (_, Some(io)) if io.kind() == io::ErrorKind::InvalidInput => Kind::Refused,
        (None, _) | (_, Some(_)) => Kind::Silent,
        // A repeated call would fail too. Examples are an untrusted certificate, and a value whose type differs from
        // that of its column.
        (Some(_), None) => Kind::Refused,
    };
    let text = match cause {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    Failure { kind, text }
}

fn text(error: &DbError) -> String {
    let message: String = error.message().chars().take(300).collect();
    format!("{message} (SQLSTATE {})", error.code().code())
}

fn kind(code: &SqlState) -> Kind {
    // The server is read-only, because it is a standby or was the primary server until now. Or a lock is not available.
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION || *code == SqlState::LOCK_NOT_AVAILABLE {
        return Kind::Busy;
    }
    match code.code().get(..2) {
        // These classes of errors are: connection, invalid state of a transaction, deadlock, resources, shutdown or
        // cancellation by an operator, and system. A repeated call may succeed.
        Some("08" | "25" | "40" | "53" | "57" | "58") => Kind::Busy,
        // A constraint is violated. This happens only if another program has written rows.
        Some("23") => Kind::Corrupt,
        _ => Kind::Refused,
    }
}

/// Maps the error of a statement in a transaction that is not committed yet.
pub(crate) fn uncommitted(error: Error) -> StoreError {
    failure(error).storing_nothing()
}

/// Maps the error of the commit itself. Despite the error, the transaction may be committed.
pub(crate) fn uncertain(error: Error) -> StoreError {
    StoreError::uncertain(failure(error).text)
}

/// Returns the error for a column whose value has the wrong type.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(crate) fn unreadable(error: Error) -> StoreError {
    match error.source() {
        Some(cause) => StoreError::corrupt(format!("{error}: {cause}")),
        None => StoreError::corrupt(error.to_string()),
    }
}
