//! Claims that the program itself holds. Such a claim can last longer than a process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use claw_store::{Owner, SessionRef, SessionStore, StoreError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::lease::{Kept, Lease, lock};

/// Claims on sessions that your program holds. By default, each session claims itself while its process runs. A session
/// whose options contain these leases ([`StoreOptions::leases`](super::StoreOptions::leases)) uses your program's claim
/// instead. Your program can hold the claim for longer than the process runs. For example, the hosts of a server can
/// then route requests to the host that has claimed a session.
///
/// A lease does not prevent that two processes of one session use it at the same time. Your program must ensure that a
/// session has only one process at a time.
#[derive(Clone)]
pub struct Leases(Arc<Inner>);

struct Inner {
    store: Arc<dyn SessionStore>,
    owner: Owner,
    ttl: Duration,
    held: Mutex<HashMap<SessionRef, Place>>,
    /// Each claim that is held or being released has a clone of this value. So the number of clones is the number of
    /// such claims.
    count: Arc<()>,
}

/// The lease of one session, if it exists. Locked while the session is being claimed.
type Place = Arc<tokio::sync::Mutex<Weak<Kept>>>;

impl Leases {
    /// Creates leases of this store.
    pub(super) fn of(store: Arc<dyn SessionStore>, owner: Owner, ttl: Duration) -> Self {
        Self(Arc::new(Inner {
            store,
            owner,
            ttl,
            held: Mutex::default(),
            count: Arc::new(()),
        }))
    }

    /// Returns the owner of the claims.
    pub fn owner(&self) -> &Owner {
        &self.0.owner
    }

    /// Returns the time to live of a claim. A claim that is not renewed within this time expires.
    pub fn ttl(&self) -> Duration {
        self.0.ttl
    }

    /// Claims a session. If these leases already have a claim on the session, returns a lease of that claim.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Held`] while another owner has claimed the session. Fails with [`StoreError::Refused`]
    /// if the store has no claims. Also fails with any other error of the store.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the session may remain claimed until the claim expires.
    pub async fn claim(&self, session: &SessionRef) -> Result<Lease, StoreError> {
        let inner = &self.0;
        let place = {
            let mut held = lock(&inner.held);
            held.retain(|_, place| {
                let is_empty = |kept: &Weak<Kept>| kept.strong_count() == 0;
                Arc::strong_count(place) > 1 || !place.try_lock().is_ok_and(|kept| is_empty(&kept))
            });
            held.entry(session.clone()).or_default().clone()
        };
        let mut kept = place.lock().await;
        if let Some(lease) = Lease::upgrade(&kept).filter(|lease| !lease.is_lost()) {
            return Ok(lease);
        }
        let Some(claims) = inner.store.claims() else {
            return Err(StoreError::refused("this store has no claims"));
        };
        let claim = claims.claim(session, &inner.owner, inner.ttl).await?;
        let lost = watch::Sender::new(None);
        let count = Box::new(inner.count.clone());
        let lease = Lease::keep(inner.store.clone(), claim, inner.ttl, lost, count);
        *kept = lease.downgrade();
        Ok(lease)
    }

    /// Returns the owner that has claimed the session, if it is not [this owner](Self::owner). Returns `None` if this
    /// owner has claimed the session, or if the session is not claimed.
    ///
    /// # Errors
    ///
    /// Fails with any error of the store.
    pub async fn other_holder(&self, session: &SessionRef) -> Result<Option<Owner>, StoreError> {
        let Some(claims) = self.0.store.claims() else {
            return Ok(None);
        };
        let holder = claims.holder(session).await?.map(|(owner, _)| owner);
        Ok(holder.filter(|holder| holder.id != self.0.owner.id))
    }

    /// Waits until the store has released the claims of these leases, but no longer than `within`. The claim on a
    /// session is released after the last clone of its [`Lease`] is dropped.
    pub async fn released(&self, within: Duration) {
        let all = async {
            while Arc::strong_count(&self.0.count) > 1 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = timeout(within, all).await;
    }

    /// Returns the number of sessions that these leases have claimed.
    pub fn held(&self) -> usize {
        let held = lock(&self.0.held);
        let is_held = |place: &&Place| {
            // If the entry is locked, the session is being claimed just now, so it is not counted yet.
            place.try_lock().is_ok_and(|kept| kept.strong_count() > 0)
        };
        held.values().filter(is_held).count()
    }
}

impl fmt::Debug for Leases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leases")
            .field("owner", &self.0.owner)
            .field("held", &self.held())
            .finish_non_exhaustive()
    }
}
