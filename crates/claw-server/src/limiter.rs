//! Tracks the connections of a server. If there are too many, an idle connection is closed to make room for each new one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Maximum number of connections that are checked to find an idle one.
const MOST_CHECKED: usize = 256;

/// The state of a connection, as far as the limiter needs it.
#[derive(Debug, Default)]
pub(crate) struct ConnectionSlot {
    /// The number of requests whose responses have not ended yet.
    busy: AtomicUsize,
    is_gone: AtomicBool,
    leave: Notify,
}

/// A request whose response has not ended. The connection is busy until this value is dropped.
#[derive(Debug)]
pub(crate) struct RequestGuard(Arc<ConnectionSlot>);

impl ConnectionSlot {
    /// Counts a new request.
    pub(crate) fn begin_request(self: &Arc<Self>) -> RequestGuard {
        self.busy.fetch_add(1, Ordering::Relaxed);
        RequestGuard(self.clone())
    }

    /// Counts the connection as busy until it ends. The limiter then never closes it to make room for a new connection.
    pub(crate) fn stays(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until the limiter asks this connection to close, to make room for a new connection.
    pub(crate) async fn leave(&self) {
        self.leave.notified().await;
    }

    /// Records that the connection has ended.
    pub(crate) fn release(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All connections. The first one is the connection whose last check for idleness is the oldest.
#[derive(Debug, Default)]
pub(crate) struct ConnectionLimiter(VecDeque<Arc<ConnectionSlot>>);

impl ConnectionLimiter {
    /// Adds a connection.
    pub(crate) fn add(&mut self, most: usize) -> Arc<ConnectionSlot> {
        if self.0.len() >= most.saturating_mul(2) {
            self.0.retain(|slot| !slot.is_gone.load(Ordering::Relaxed));
        }
        let slot = Arc::new(ConnectionSlot::default());
        self.0.push_back(slot.clone());
        slot
    }

    /// Asks an idle connection to close. Returns `false` if no idle connection was found.
    pub(crate) fn evict_idle(&mut self) -> bool {
        for _ in 0..MOST_CHECKED.min(self.0.len()) {
            let Some(slot) = self.0.pop_front() else {
                return false;
            };
            if slot.is_gone.load(Ordering::Relaxed) {
                continue;
            }
            if slot.busy.load(Ordering::Relaxed) == 0 {
                slot.leave.notify_one();
                return true;
            }
            self.0.push_back(slot);
        }
        false
    }
}
