//! Data of a store that no session uses.

use futures::future::BoxFuture;

use crate::{Owner, StoreError};

/// A store's capability to find data that no session uses, for example data that a killed process has left.
pub trait FindLeftovers: Send + Sync {
    /// Finds the data of the whole store that no session uses. If `removes` is true, removes the data that is certainly
    /// not in use, unless a host has claimed its session. Data for which the store has no explanation is never removed.
    ///
    /// The call lists everything that the store has. Data that a running call has just written is not a leftover.
    fn leftovers(&self, removes: bool) -> BoxFuture<'_, Result<Vec<Leftover>, StoreError>>;
}

/// Data of a store that no session uses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftover {
    /// The place in the store, such as the name of an object or the key of a transcript. It may include control
    /// characters.
    pub place: String,
    /// An explanation for people, such as `parts of a deleted transcript`.
    pub what: String,
    /// The unit in which the data is counted, in the singular, such as `object`.
    pub unit: &'static str,
    /// The number of units.
    pub count: u64,
    /// The size of the data, in bytes. `None` if the store does not report the size.
    pub bytes: Option<u64>,
    /// Whether the data was removed.
    pub state: LeftoverState,
}

/// Whether a [`Leftover`] was removed, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftoverState {
    /// The data is certainly not in use. A call that removes data removes it.
    Removable,
    /// The data was removed.
    Removed,
    /// The data was not removed, because this owner has claimed the session.
    Claimed(Owner),
    /// The store does not know whether the data is in use, and never removes it.
    Unexplained,
}

impl Leftover {
    /// Creates a leftover that the store never removes, with one unit and of unknown size.
    pub fn unexplained(
        place: impl Into<String>,
        what: impl Into<String>,
        unit: &'static str,
    ) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
            unit,
            count: 1,
            bytes: None,
            state: LeftoverState::Unexplained,
        }
    }

    /// Sets the number of units and their size in bytes.
    #[must_use]
    pub fn of_size(mut self, count: u64, bytes: Option<u64>) -> Self {
        (self.count, self.bytes) = (count, bytes);
        self
    }

    /// Sets whether the data was removed.
    #[must_use]
    pub fn state(mut self, state: LeftoverState) -> Self {
        self.state = state;
        self
    }
}
