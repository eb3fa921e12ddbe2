//! The queues of a session: lines for their readers, responses for the callers, requests for their answers, and lines
//! for the CLI's stdin.
//!
//! The driver and the handles of a session meet here. Neither waits for the other, and each queue has a limit.
//!
//! This layer imports `outcome` and `engine`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) mod calls;
pub(crate) mod inbox;
pub(crate) mod requests;
pub(crate) mod stdin;

/// The time within which the process must end after it closed its stdout or its stdin, and for
/// which its stdout is read after it has ended.
pub(crate) const LINGER: Duration = Duration::from_secs(1);

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
