//! What can go wrong with a store.

use std::error::Error as StdError;
use std::time::Duration;

use crate::{Epoch, KeyError, Owner, StoreKey};

/// Why a store did not do what was asked. Each kind says what helps: see [`retry`](Self::retry).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot do it, now or later: it refuses, or is not set up.
    #[error("the store refuses: {0}")]
    Refused(Source),
    /// The store could not be reached, or was busy. Nothing was stored.
    #[error("the store is away: {0}")]
    Unavailable(Source),
    /// The connection ended, or the time was over, before the store answered: it may have been done.
    #[error("the store did not answer: {0}")]
    Uncertain(Source),
    /// Another writer has claimed the session since: the epoch of the claim or batch is too old.
    #[error("epoch {} was superseded by epoch {}{}", epoch.0, newer.0, by(owner.as_ref()))]
    Superseded {
        /// The epoch that was too old.
        epoch: Epoch,
        /// The newest epoch.
        newer: Epoch,
        /// Who has it, as far as the store knows.
        owner: Option<Owner>,
    },
    /// Another owner has the session.
    #[error("the session is held by {owner} for {} more seconds, unless it is renewed", expires_in.as_secs().max(1))]
    Held {
        /// Who has it.
        owner: Owner,
        /// When the claim ends unless it is renewed, by the store's clock.
        expires_in: Duration,
    },
    /// Lines of the writer before those of the batch are not in the store.
    #[error(
        "the store has {expected} lines of this writer, and the batch begins with line {number}"
    )]
    Gap {
        /// The number that a batch of this writer has to begin with.
        expected: u64,
        /// The number that it began with.
        number: u64,
    },
    /// Lines of a transcript are missing from the store. A retention rule may have deleted old objects.
    #[error("{key} is not complete in the store: {what}")]
    Incomplete {
        /// The transcript.
        key: StoreKey,
        /// What is missing.
        what: String,
    },
    /// What the store holds is not what it should hold: not a key, not a line, or over a limit.
    #[error("the store holds what is not a transcript: {0}")]
    Corrupt(Source),
}

/// The cause of a [`StoreError`].
pub type Source = Box<dyn StdError + Send + Sync>;

/// What helps against a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// No retry helps.
    No,
    /// The same call again, later.
    Later,
    /// The same call again, later. It may have been done already: a batch is repeated with its writer and number,
    /// which makes that harmless.
    MayBeDone,
}

impl StoreError {
    /// Whether a retry can help.
    pub fn retry(&self) -> Retry {
        match self {
            // A claim may end. Who wants to wait for that can.
            Self::Unavailable(_) | Self::Held { .. } => Retry::Later,
            Self::Uncertain(_) => Retry::MayBeDone,
            _ => Retry::No,
        }
    }

    /// Whether another writer has claimed the session since.
    pub fn is_superseded(&self) -> bool {
        matches!(self, Self::Superseded { .. })
    }

    /// Whether another owner has the session.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// One that no retry helps against.
    pub fn refused(source: impl Into<Source>) -> Self {
        Self::Refused(source.into())
    }

    /// One that a retry helps against, and after which nothing was stored.
    pub fn unavailable(source: impl Into<Source>) -> Self {
        Self::Unavailable(source.into())
    }

    /// One after which it may have been done.
    pub fn uncertain(source: impl Into<Source>) -> Self {
        Self::Uncertain(source.into())
    }

    /// Of data in the store that cannot be read.
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
