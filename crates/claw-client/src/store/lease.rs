//! A claim that is kept as long as it is needed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claw_store::{Claim, Epoch, SessionStore, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// How long giving a session up may take. A claim that is not given up ends by itself.
pub(super) const RELEASE: Duration = Duration::from_secs(2);

/// A claim with a task that renews it.
///
/// # Drop
///
/// It is not renewed any more, and ends when its time is over.
pub(super) struct Lease {
    store: Arc<dyn SessionStore>,
    claim: Claim,
    task: JoinHandle<()>,
}

/// Says once that a claim was lost.
pub(super) type Lost = watch::Sender<Option<Arc<StoreError>>>;

impl Lease {
    /// Keeps a claim. `lost` is told when it cannot be kept: early enough for the CLI to end before another host can
    /// take the session.
    pub(super) fn keep(
        store: Arc<dyn SessionStore>,
        claim: Claim,
        ttl: Duration,
        lost: Lost,
    ) -> Self {
        let task = tokio::spawn(renew(store.clone(), claim.clone(), ttl, lost));
        Self { store, claim, task }
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.claim.epoch
    }

    /// Gives the session up.
    pub(super) async fn release(self, within: Duration) {
        self.task.abort();
        if let Some(claims) = self.store.claims() {
            match timeout(within, claims.release(&self.claim)).await {
                Ok(Ok(())) => {}
                // It ends by itself.
                Ok(Err(error)) => tracing::warn!(%error, "a claim was not released"),
                Err(_) => tracing::warn!("a claim was not released in time"),
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn renew(store: Arc<dyn SessionStore>, claim: Claim, ttl: Duration, lost: Lost) {
    let Some(claims) = store.claims() else {
        return;
    };
    let mut until = claim.until;
    let mut pause = ttl / 3;
    loop {
        // What the CLI needs to end is left of the claim.
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
        let is_over = end <= Instant::now();
        let why = why.or_else(|| {
            is_over.then(|| StoreError::uncertain("the claim could not be renewed in time"))
        });
        if let Some(why) = why {
            return lose(&lost, why);
        }
        pause = ttl / 10;
    }
}

/// Says why a claim was lost. The first reason counts.
pub(super) fn lose(lost: &Lost, why: StoreError) {
    lost.send_if_modified(|lost| {
        let is_first = lost.is_none();
        lost.get_or_insert_with(|| Arc::new(why));
        is_first
    });
}

/// A mutex whose holder may have panicked: nothing that is done under it stops half way.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
