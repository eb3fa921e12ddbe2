//! Errors of stores.

use std::error::Error as StdError;
use std::time::Duration;

use crate::{Epoch, KeyError, Owner, SessionRef, StoreKey};

/// The reason why a call to a store failed. [`retry`](Self::retry) says whether a retry helps.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store refuses the request, or is not set up for it. Another attempt fails as well.
    #[error("the store refuses: {0}")]
    Refused(Source),
    /// The store could not be reached, or was busy. Nothing was stored.
    #[error("the store is away: {0}")]
    Unavailable(Source),
    /// The connection ended, or the timeout passed, before the store answered. The call may have taken effect.
    #[error("the store did not answer: {0}")]
    Uncertain(Source),
    /// The epoch of the claim or batch is too old, because another writer has claimed the session in the meantime.
    #[error("epoch {} was superseded by epoch {}{}", epoch.0, newer.0, by(owner.as_ref()))]
    Superseded {
        /// The epoch that was too old.
        epoch: Epoch,
        /// The newest epoch.
        newer: Epoch,
        /// The owner of the newest claim on the session, if the store knows it.
        owner: Option<Owner>,
    },
    /// Another owner has claimed the session.
    #[error("the session is held by {owner} for {} more seconds, unless it is renewed", expires_in.as_secs().max(1))]
    Held {
        /// The owner that has claimed the session.
        owner: Owner,
        /// The time after which the claim expires, by the store's clock, if it is not renewed.
        expires_in: Duration,
    },
    /// The session was [deleted](crate::DeleteSession::delete_session). The store takes no more lines of this session.
    #[error("{session} was deleted")]
    Deleted {
        /// The session.
        session: SessionRef,
    },
    /// The store lacks lines of this writer that come before the batch.
    #[error(
        "the store has {expected} lines of this writer, and the batch begins with line {number}"
    )]
    Gap {
        /// The number with which the writer's next batch must begin.
        expected: u64,
        /// The number with which the batch began.
        number: u64,
    },
    /// Lines of a transcript are missing from the store. A retention rule may have deleted old objects.
    #[error("{key} is not complete in the store: {what}")]
    Incomplete {
        /// The key of the transcript.
        key: StoreKey,
        /// A description of what is missing.
        what: String,
    },
    /// The store contains invalid data: an invalid key, an invalid line, or more data than a limit allows.
    #[error("the store holds what is not a transcript: {0}")]
    Corrupt(Source),
}

/// The cause of a [`StoreError`].
pub type Source = Box<dyn StdError + Send + Sync>;

/// Whether it helps to repeat the call after a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// No retry helps.
    No,
    /// Repeat the same call later.
    Later,
    /// Repeat the same call later. The first call may already have taken effect. A batch that is repeated with the
    /// same writer and number is not stored twice.
    MayBeDone,
}

impl StoreError {
    /// Returns whether a retry can help.
    pub fn retry(&self) -> Retry {
        match self {
            // The caller can wait until the claim of the other owner ends.
            Self::Unavailable(_) | Self::Held { .. } => Retry::Later,
            Self::Uncertain(_) => Retry::MayBeDone,
            _ => Retry::No,
        }
    }

    /// Whether another owner has claimed the session since the claim or batch was made.
    pub fn is_superseded(&self) -> bool {
        matches!(self, Self::Superseded { .. })
    }

    /// Whether another owner has claimed the session.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// Whether the session was deleted. The store takes no more lines of such a session.
    pub fn is_deleted(&self) -> bool {
        matches!(self, Self::Deleted { .. })
    }

    /// Converts the error of a call that stores nothing. Such a call changes nothing even if its response is lost, so
    /// [`Uncertain`](Self::Uncertain) becomes [`Unavailable`](Self::Unavailable).
    #[must_use]
    pub fn nothing_stored(self) -> Self {
        match self {
            Self::Uncertain(source) => Self::Unavailable(source),
            error => error,
        }
    }

    /// Converts the error of a call after an earlier call that may have stored something. So
    /// [`Unavailable`](Self::Unavailable), which means that nothing was stored, becomes [`Uncertain`](Self::Uncertain).
    #[must_use]
    pub fn maybe_stored(self) -> Self {
        match self {
            Self::Unavailable(source) => Self::Uncertain(source),
            error => error,
        }
    }

    /// Creates a [`Refused`](Self::Refused) error. No retry helps.
    pub fn refused(source: impl Into<Source>) -> Self {
        Self::Refused(source.into())
    }

    /// Creates an [`Unavailable`](Self::Unavailable) error. Nothing was stored, and a retry can help.
    pub fn unavailable(source: impl Into<Source>) -> Self {
        Self::Unavailable(source.into())
    }

    /// Creates an [`Uncertain`](Self::Uncertain) error. The call may have taken effect.
    pub fn uncertain(source: impl Into<Source>) -> Self {
        Self::Uncertain(source.into())
    }

    /// Creates a [`Corrupt`](Self::Corrupt) error. Data in the store cannot be read.
    pub fn corrupt(source: impl Into<Source>) -> Self {
        Self::Corrupt(source.into())
    }
}

impl From<KeyError> for StoreError {
    fn from(error: KeyError) -> Self {
        Self::refused(error)
    }
}

fn by(owner: Option<&Owner>) -> String {
    owner
        .map(|owner| format!(", of {owner}"))
        .unwrap_or_default()
}
