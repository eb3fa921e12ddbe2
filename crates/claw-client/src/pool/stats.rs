//! The counters of a pool.

use std::time::{Duration, SystemTime};

use super::scheduler::Scheduler;

/// The counters of a pool: its current state, and totals since it was created. Returned by
/// [`Pool::stats`](super::Pool::stats).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// The number of sessions of the pool, including those that have no process at the moment.
    pub sessions: usize,
    /// The number of processes that run.
    pub running: usize,
    /// The number of running processes that no turn and no call uses.
    pub idle: usize,
    /// The number of processes that were started in advance and wait for a session:
    /// [`PoolBuilder::spares`](super::PoolBuilder::spares). They are not counted as running.
    pub spares: usize,
    /// The number of processes that are starting, including spares.
    pub starting: usize,
    /// The number of processes that are ending.
    pub ending: usize,
    /// The number of turns and calls that wait for a process.
    pub waiting: usize,
    /// The number of prompts that wait for the reset of a usage limit:
    /// [`PoolBuilder::limit_wait`](super::PoolBuilder::limit_wait).
    pub limited: usize,
    /// The time at which the first prompt that waits for the reset of a usage limit is sent again. `None` if no prompt
    /// waits for it.
    pub limit_reset: Option<SystemTime>,
    /// The resident memory of the processes in bytes. The pool measures it only if
    /// [`PoolBuilder::memory`](super::PoolBuilder) is set.
    pub memory: u64,
    /// The number of processes that were started for a session so far.
    pub starts: u64,
    /// The number of processes that could not be started.
    pub failed_starts: u64,
    /// The number of processes that were ended to make room for the process of another session.
    pub evictions: u64,
    /// The number of processes that ended by themselves: neither the pool nor the program announced their end. The
    /// program announces it with [`PooledSession::expect_end`](super::PooledSession::expect_end).
    pub crashes: u64,
    /// The number of spares that were started.
    pub spare_starts: u64,
    /// The number of spares that could not be started, or ended by themselves.
    pub spare_failures: u64,
    /// The number of spares that were ended to make room for the process of a session.
    pub spares_given_up: u64,
    /// The number of sessions that took over a spare.
    pub claims: u64,
    /// The number of sessions that could not take over their spare, and got a new process.
    pub fallbacks: u64,
    /// The number of turns and calls that failed because they got no process.
    pub refused: u64,
    /// The longest time that a turn or a call has waited for a process.
    pub longest_wait: Duration,
}

impl PoolStats {
    pub(super) fn of(scheduler: &Scheduler) -> Self {
        let totals = scheduler.totals();
        Self {
            sessions: scheduler.members(),
            running: scheduler.running(),
            idle: scheduler.idle(),
            spares: scheduler.spares(),
            starting: scheduler.starting(),
            ending: scheduler.ending(),
            waiting: scheduler.waiting(),
            limited: 0,
            limit_reset: None,
            memory: scheduler.memory(),
            starts: totals.starts,
            failed_starts: totals.failed_starts,
            evictions: totals.evictions,
            crashes: totals.ends,
            spare_starts: totals.spare_starts,
            spare_failures: totals.spare_failures,
            spares_given_up: totals.spares_given_up,
            claims: totals.claims,
            fallbacks: totals.fallbacks,
            refused: totals.refused,
            longest_wait: totals.longest_wait,
        }
    }
}
