//! Access to sessions in a store, similar to the access to sessions on disk.

mod change;
mod checkout;
mod compare;
mod contents;
mod deferred;
mod error;
mod import;
mod index;
mod kept;
mod kept_notice;
mod limits;
mod lines;
mod list;
mod local;
mod private;
mod recover;
mod sync;
mod temporary;
mod usage;
mod writer;

use std::fmt;
use std::sync::Arc;

pub use change::StoredFork;
pub use checkout::{CheckedOut, Checkout};
pub use compare::Difference;
pub use deferred::{Deferred, DeferredAnswer};
pub use error::StoredError;
pub use import::{Import, ImportProblem, Imported, agent_metadata, is_mirrored};
pub use index::{IndexedUsage, LeftOut, LinesLeftOut, SessionIndex, StoredHit};
pub use kept::{Brought, Kept};
pub use kept_notice::{KeptNotice, kept_notices};
pub use limits::Limits;
pub use list::{StoredListing, StoredSession};
pub use local::LocalSession;
pub use recover::{Outcome, Recovered};
pub use sync::{Pull, PullOutcome, Pulled, SessionSync, SyncOutcome, Synced};

use crate::SessionStore;

/// The sessions in a store.
///
/// Data from the store is checked against [`Limits`]. These calls have no timeouts. If the store does not respond, a
/// call ends when the store's own timeout passes, or when the call's future is dropped.
#[derive(Clone)]
#[must_use]
pub struct StoredSessions {
    store: Arc<dyn SessionStore>,
    limits: Limits,
}

impl StoredSessions {
    /// Gives access to the sessions of this store.
    pub fn new(store: Arc<dyn SessionStore>) -> Self {
        Self {
            store,
            limits: Limits::default(),
        }
    }

    /// Sets the limits for data that is read from the store.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn SessionStore> {
        &self.store
    }
}

impl fmt::Debug for StoredSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredSessions")
            .field("store", &self.store)
            .field("limits", &self.limits)
            .finish()
    }
}
