//! A sweep that does nothing, for systems where the environment of a process cannot be read.

use std::time::Instant;

/// A sweep that ends no processes. It has the same methods as the sweep on Linux.
#[derive(Default)]
pub(in crate::supervisor) struct Sweep(());

#[expect(clippy::unused_self, reason = "as on Linux")]
impl Sweep {
    pub(in crate::supervisor) fn add(&mut self, _mark: String) {}

    pub(in crate::supervisor) fn due(&self) -> Option<Instant> {
        None
    }

    pub(in crate::supervisor) fn run(&mut self, _now: Instant, _of_sessions: &[u32]) {}
}
