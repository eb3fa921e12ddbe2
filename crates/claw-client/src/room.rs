//! Bounds in bytes for waiting data.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count of waiting bytes. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room(Arc<AtomicUsize>);

/// Bytes that wait. Dropping it removes them from the count.
#[derive(Debug)]
pub(crate) struct Taken {
    bytes: usize,
    room: Room,
}

impl Room {
    /// Counts `bytes`, unless `most` or more are already waiting. A single larger item is accepted
    /// if nothing else waits.
    pub(crate) fn take(&self, bytes: usize, most: usize) -> Option<Taken> {
        let counted = |waiting: usize| (waiting < most).then(|| waiting.saturating_add(bytes));
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted)
            .ok()?;
        let room = self.clone();
        Some(Taken { bytes, room })
    }

    /// Returns the number of waiting bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
