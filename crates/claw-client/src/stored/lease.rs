//! A claim that is renewed until it is released.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claw_store::{Claim, Epoch, SessionRef, SessionStore, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Maximum time for releasing a claim. A claim that is not released expires.
pub(super) const RELEASE: Duration = Duration::from_secs(2);

/// A claim on a session in a store, which is renewed until the last clone of this value is dropped. All
/// clones share the claim. Made by [`Leases::claim`](super::Leases::claim).
///
/// # Drop
///
/// When the last clone is dropped, the claim is released in the background. If that happens outside of a tokio
/// runtime, the claim is not released, but expires when it is no longer renewed.
#[derive(Clone)]
pub struct Lease(Arc<Kept>);

/// A claim, and the task that renews it.
pub(super) struct Kept {
    store: Arc<dyn SessionStore>,
    claim: Claim,
    task: JoinHandle<()>,
    lost: Lost,
    is_released: bool,
    /// Held until the claim is released, and then dropped.
    tied: Tied,
}

/// A value that must not be dropped before a claim is released.
pub(super) type Tied = Box<dyn Send + Sync>;

/// Reports the loss of a claim. At most one loss is reported.
pub(super) type Lost = watch::Sender<Option<Arc<StoreError>>>;

impl Lease {
    /// Starts a task that renews the claim. If the claim cannot be renewed, the task reports the loss to `lost`. The
    /// report is early enough for the CLI to end before another host can claim the session. `tied` is dropped after the
    /// claim is released.
    pub(super) fn keep(
        store: Arc<dyn SessionStore>,
        claim: Claim,
        ttl: Duration,
        lost: Lost,
        tied: Tied,
    ) -> Self {
        let task = tokio::spawn(renew(store.clone(), claim.clone(), ttl, lost.clone()));
        Self(Arc::new(Kept {
            store,
            claim,
            task,
            lost,
            is_released: false,
            tied,
        }))
    }

    /// Returns the claimed session.
    pub fn session(&self) -> &SessionRef {
        &self.0.claim.session
    }

    /// Returns the epoch of the claim. Each batch of lines that is stored for the session must have this epoch.
    pub fn epoch(&self) -> Epoch {
        self.0.claim.epoch
    }

    /// Whether the claim on the session was lost. If so, nothing more may be written to the session.
    pub fn is_lost(&self) -> bool {
        self.0.lost.borrow().is_some()
    }

    /// Waits until the claim is lost, and returns the reason. Returns `None` if the claim is released instead. The
    /// future does not keep the claim alive.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn lost(&self) -> impl Future<Output = Option<Arc<StoreError>>> + Send + use<> {
        let mut lost = self.0.lost.subscribe();
        async move { lost.wait_for(Option::is_some).await.ok()?.clone() }
    }

    pub(crate) fn store(&self) -> &Arc<dyn SessionStore> {
        &self.0.store
    }

    /// Returns the sender that reports the loss of the claim.
    pub(super) fn lost_sender(&self) -> &Lost {
        &self.0.lost
    }

    pub(super) fn downgrade(&self) -> std::sync::Weak<Kept> {
        Arc::downgrade(&self.0)
    }

    pub(super) fn upgrade(kept: &std::sync::Weak<Kept>) -> Option<Self> {
        kept.upgrade().map(Self)
    }

    /// Releases the claim, unless another clone of the lease exists.
    pub(super) async fn release(self, within: Duration) {
        if let Some(mut kept) = Arc::into_inner(self.0) {
            kept.is_released = true;
            kept.task.abort();
            release(&*kept.store, &kept.claim, within).await;
        }
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease")
            .field("session", self.session())
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.task.abort();
        if self.is_released || self.lost.borrow().is_some() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (store, claim) = (self.store.clone(), self.claim.clone());
            let tied = std::mem::replace(&mut self.tied, Box::new(()));
            runtime.spawn(async move {
                release(&*store, &claim, RELEASE).await;
                drop(tied);
            });
        }
    }
}

async fn release(store: &dyn SessionStore, claim: &Claim, within: Duration) {
    if let Some(claims) = store.claims() {
        match timeout(within, claims.release(claim)).await {
            Ok(Ok(())) => {}
            // A claim that could not be released expires after its time to live.
            Ok(Err(error)) => tracing::warn!(%error, "a claim was not released"),
            Err(_) => tracing::warn!("a claim was not released in time"),
        }
    }
}

async fn renew(store: Arc<dyn SessionStore>, claim: Claim, ttl: Duration, lost: Lost) {
    let Some(claims) = store.claims() else {
        return;
    };
    let mut until = claim.until;
    let mut pause = ttl / 3;
    loop {
        // The last fifth of the claim's time to live is reserved, so that the CLI can end before the claim expires.
        let end = until.checked_sub(ttl / 5).unwrap_or(until);
        sleep(pause.min(end.saturating_duration_since(Instant::now()))).await;
        let asked = Instant::now();
        let left = end.saturating_duration_since(asked);
        let renewed = timeout(left.min(ttl / 3), claims.renew(&claim, ttl)).await;
        let why = match renewed {
            Ok(Ok(())) => {
                until = asked + ttl;
                pause = ttl / 3;
                continue;
            }
            Ok(Err(error)) if error.is_superseded() => Some(error),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a claim was not renewed");
                None
            }
            Err(_) => {
                tracing::warn!("a claim was not renewed in time");
                None
            }
        };
        let is_expired = end <= Instant::now();
        let why = why.or_else(|| {
            is_expired.then(|| StoreError::uncertain("the claim could not be renewed in time"))
        });
        if let Some(why) = why {
            return lose(&lost, why);
        }
        pause = ttl / 10;
    }
}

/// Reports that a claim was lost. If a loss was already reported, does nothing.
pub(super) fn lose(lost: &Lost, why: StoreError) {
    lost.send_if_modified(|lost| {
        let is_first = lost.is_none();
        lost.get_or_insert_with(|| Arc::new(why));
        is_first
    });
}

/// Locks a mutex even if a thread panicked while it held the lock. This is safe, because a panic cannot leave the data
/// of these mutexes half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
