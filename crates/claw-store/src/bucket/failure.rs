//! Maps errors of the object store's client to [`StoreError`].

use std::error::Error as StdError;

use object_store::Error;

use crate::StoreError;

/// Maps the error of a request that stores nothing.
pub(super) fn reading(error: &Error) -> StoreError {
    let text = text(error);
    if is_refusal(error) {
        StoreError::refused(text)
    } else {
        StoreError::unavailable(text)
    }
}

/// Maps the error of a request that stores. The client repeats requests, so the first one may have succeeded even if
/// the last one failed.
pub(super) fn writing(error: &Error) -> StoreError {
    let text = text(error);
    if is_refusal(error) {
        StoreError::refused(text)
    } else {
        StoreError::uncertain(text)
    }
}

/// Returns the error for objects that cannot be parsed.
pub(super) fn corrupt(what: impl Into<String>) -> StoreError {
    StoreError::corrupt(what.into())
}

impl StoreError {
    /// Maps the error of a call that has stored nothing: each of its storing requests failed or served another purpose.
    pub(super) fn nothing_was_stored(self) -> Self {
        match self {
            Self::Uncertain(source) => Self::Unavailable(source),
            error => error,
        }
    }

    /// Maps the error of a reading request that followed a request that may have stored.
    pub(super) fn maybe_stored(self) -> Self {
        match self {
            Self::Unavailable(source) => Self::Uncertain(source),
            error => error,
        }
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

/// Returns the kind of the error and its innermost cause. The layers between them quote URLs, which may contain a
/// signature.
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
