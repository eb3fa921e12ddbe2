//! The sessions that this host has claimed. One host runs a session, and the other hosts forward requests about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "cluster")]
use claw_client::store::Owner;
use claw_client::store::{Deferred, Lease, Leases, SessionRef, StoreError, StoredError};

use super::HubError;
use super::prompt_log::{Left, PromptLog, UnwrittenEnds};

/// The claims of a hub, and the counts of their outcomes.
#[derive(Debug)]
pub(super) struct HubClaims {
    pub(super) leases: Leases,
    pub(super) won: AtomicU64,
    pub(super) inherited: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) ends: Arc<UnwrittenEnds>,
}

/// Counts of the claims of a host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimCounts {
    pub(crate) held: u64,
    pub(crate) won: u64,
    /// The number of claims of this host that found a log of prompts from an earlier claim in the store. Either the earlier
    /// claim was not released, or it left unanswered prompts.
    pub(crate) inherited: u64,
    pub(crate) lost: u64,
    pub(crate) refused: u64,
}

/// A claimed session, and what earlier claims have left in the store.
pub(super) struct Taken {
    pub(super) project: String,
    pub(super) log: Arc<PromptLog>,
    pub(super) left: Left,
    /// The deferred requests of the session, which wait in the store after their process has ended.
    pub(super) deferred: Vec<Deferred>,
}

/// The host that has claimed a session.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) enum Place {
    /// This host has claimed the session, or no host has.
    Here,
    /// Another host has claimed the session.
    Elsewhere(SessionRef, Owner),
}

impl HubClaims {
    pub(super) fn new(leases: Leases) -> Self {
        Self {
            leases,
            won: AtomicU64::new(0),
            inherited: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            ends: Arc::default(),
        }
    }

    pub(super) async fn claim(&self, session: &SessionRef) -> Result<Lease, HubError> {
        let claimed = self.leases.claim(session).await;
        if claimed.is_ok() {
            self.won.fetch_add(1, Ordering::Relaxed);
        }
        claimed.map_err(|error| match error {
            // An owner without an address is a program that only stores lines that a host could not store before. It
            // answers no requests, so none can be forwarded to it.
            StoreError::Held { owner, .. } if owner.address.is_none() => {
                let text = format!("lines of the session are being stored by {owner}");
                StoredError::from(StoreError::unavailable(text)).into()
            }
            StoreError::Held { owner, .. } => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                HubError::Elsewhere(Box::new(owner))
            }
            error => StoredError::from(error).into(),
        })
    }
}
