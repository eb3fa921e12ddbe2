//! An empty sweep, for systems where a process's environment cannot be read.

use std::time::Instant;

/// Ends no processes. The methods are the same as on Linux.
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
