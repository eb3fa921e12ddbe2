//! Limits on the number of waiting bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count of waiting bytes. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByteBudget(Arc<AtomicUsize>);

/// Waiting bytes. Dropping this value removes them from the count.
#[derive(Debug)]
pub(crate) struct ByteReservation {
    bytes: usize,
    budget: ByteBudget,
}

impl ByteBudget {
    /// Counts `bytes`, unless `most` or more are already waiting. A single larger item is accepted
    /// if nothing else waits.
    pub(crate) fn reserve(&self, bytes: usize, most: usize) -> Option<ByteReservation> {
        let counted = |waiting: usize| (waiting < most).then(|| waiting.saturating_add(bytes));
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted)
            .ok()?;
        let budget = self.clone();
        Some(ByteReservation { bytes, budget })
    }

    /// Returns the number of waiting bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for ByteReservation {
    fn drop(&mut self) {
        self.budget.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
