//! Bounds in bytes, for what waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes wait. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room(Arc<AtomicUsize>);

/// Bytes that wait. Dropping it says that they wait no more.
#[derive(Debug)]
pub(crate) struct Taken {
    bytes: usize,
    room: Room,
}

impl Room {
    /// Counts `bytes`, unless `most` or more wait already. What is longer than that alone goes
    /// alone.
    pub(crate) fn take(&self, bytes: usize, most: usize) -> Option<Taken> {
        let counted = |waiting: usize| (waiting < most).then(|| waiting.saturating_add(bytes));
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted)
            .ok()?;
        let room = self.clone();
        Some(Taken { bytes, room })
    }

    /// How many bytes wait.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
