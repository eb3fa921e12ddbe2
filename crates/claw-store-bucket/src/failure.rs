//! Maps errors of the object store's client to [`StoreError`].

use std::error::Error as StdError;

use claw_store::adapter::{Failure, FailureKind};
use object_store::Error;

/// Maps the error of a request. The client repeats requests, so the first request may have succeeded even if the last
/// one failed. Therefore, every error that is not a refusal is treated as a missing response.
pub(crate) fn failure(error: &Error) -> Failure {
    Failure {
        kind: if is_refusal(error) {
            FailureKind::Refused
        } else {
            FailureKind::Silent
        },
        text: text(error),
    }
}

fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::NotFound { .. }
            | Error::InvalidPath { .. }
            | Error::NotSupported { .. }
            | Error::NotImplemented { .. }
            | Error::PermissionDenied { .. }
            | Error::Unauthenticated { .. }
            | Error::UnknownConfigurationKey { .. }
    )
}

/// Returns a text for the kind of the error, and its innermost cause. The errors between them are left out, because
/// they quote URLs, which may contain a signature.
fn text(error: &Error) -> String {
    let kind = match error {
        Error::NotFound { .. } => "there is no such bucket or object",
        Error::NotSupported { .. } | Error::NotImplemented { .. } => "the client lacks this",
        Error::PermissionDenied { .. } => "a right is missing",
        Error::Unauthenticated { .. } => "the credentials are not accepted",
        Error::InvalidPath { .. } => "a name is not accepted",
        Error::AlreadyExists { .. } | Error::Precondition { .. } => "a condition did not hold",
        _ => "a request failed",
    };
    let mut cause: &dyn StdError = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let words = cause.to_string();
    let words = words
        .split_whitespace()
        .filter(|word| !word.contains("://"));
    let cause: String = words.collect::<Vec<_>>().join(" ");
    let cause: String = cause.chars().take(300).collect();
    format!("{kind}: {cause}")
}
