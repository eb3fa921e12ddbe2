//! The reason why an attempt has no result, and whether another attempt may succeed.

use std::io;

use claw_client::Error;
use claw_client::store::{Retry, StoreError};
use restate_sdk::errors::{HandlerError, TerminalError};

/// The reason why an attempt has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptError {
    /// Another attempt may succeed.
    #[error("{0}")]
    Again(String),
    /// No attempt can succeed, or no further attempt is allowed.
    #[error("{0}")]
    Final(String),
}

impl AttemptError {
    /// Converts this error to an error for Restate. Restate repeats the call unless the error is terminal.
    pub(crate) fn into_handler(self) -> HandlerError {
        match self {
            Self::Again(text) => io::Error::other(text).into(),
            Self::Final(text) => TerminalError::new(text).into(),
        }
    }
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        match error.retry() {
            Retry::No if !error.is_superseded() => Self::Final(error.to_string()),
            _ => Self::Again(error.to_string()),
        }
    }
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        if let Some(store) = error.store() {
            let text = error.to_string();
            return match store.retry() {
                Retry::No if !store.is_superseded() => Self::Final(text),
                _ => Self::Again(text),
            };
        }
        if error.is_bad_request() {
            return Self::Final(error.to_string());
        }
        Self::Again(error.to_string())
    }
}
