//! The connections of a server. Where there are too many, those that ask for nothing make room for new ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many connections are looked at to find one that asks for nothing.
const LOOKS: usize = 256;

/// A connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionSlot {
    /// Requests whose responses have not ended.
    busy: AtomicUsize,
    is_gone: AtomicBool,
    leave: Notify,
}

/// A request of a connection, until its response has ended.
#[derive(Debug)]
pub(crate) struct RequestGuard(Arc<ConnectionSlot>);

impl ConnectionSlot {
    /// A request has come.
    pub(crate) fn begin_request(self: &Arc<Self>) -> RequestGuard {
        self.busy.fetch_add(1, Ordering::Relaxed);
        RequestGuard(self.clone())
    }

    /// The connection is in use until its end.
    pub(crate) fn stays(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until the connection has to make room.
    pub(crate) async fn leave(&self) {
        self.leave.notified().await;
    }

    /// The connection has ended.
    pub(crate) fn release(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All connections, the one first that was looked at longest ago.
#[derive(Debug, Default)]
pub(crate) struct ConnectionLimiter(VecDeque<Arc<ConnectionSlot>>);

impl ConnectionLimiter {
    /// One more.
    pub(crate) fn add(&mut self, most: usize) -> Arc<ConnectionSlot> {
        if self.0.len() >= most.saturating_mul(2) {
            self.0.retain(|slot| !slot.is_gone.load(Ordering::Relaxed));
        }
        let slot = Arc::new(ConnectionSlot::default());
        self.0.push_back(slot.clone());
        slot
    }

    /// Has a connection leave that asks for nothing. `false` if none is found.
    pub(crate) fn evict_idle(&mut self) -> bool {
        for _ in 0..LOOKS.min(self.0.len()) {
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
