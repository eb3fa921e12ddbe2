//! How a pool is set up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::plan::{Limits, Plan};
use super::{Books, Inner, Pool};

/// Sets a pool up: [`Pool::builder`].
#[derive(Debug, Clone)]
#[must_use = "a pool begins with `build`"]
pub struct PoolBuilder {
    limits: Limits,
}

impl Default for PoolBuilder {
    fn default() -> Self {
        Self {
            limits: Limits {
                processes: 8,
                starts: 2,
                memory: None,
                estimate: 300 << 20,
                queue: 10_000,
                wait: None,
                tenure: Duration::from_mins(1),
            },
        }
    }
}

impl PoolBuilder {
    /// Sets how many processes there are at any moment, those that start or end included. At least 1. Default 8.
    pub fn processes(mut self, processes: usize) -> Self {
        self.limits.processes = processes.max(1);
        self
    }

    /// Sets how many processes may start at the same moment. At least 1. Default 2: a start takes all that a core has.
    pub fn starts(mut self, starts: usize) -> Self {
        self.limits.starts = starts.max(1);
        self
    }

    /// Sets how many bytes of memory the processes may take together, with all that they started. Default: no limit.
    ///
    /// The resident memory is measured every second; a process that has not been measured counts for 300 MiB. Above
    /// the limit idle processes are ended, and no more are started. A process that works is never ended for it, and one
    /// process may always run. Pages that processes share count for each of them.
    #[cfg(target_os = "linux")]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Sets [`memory`](Self::memory) to so many hundredths of the limit of this process's control group (cgroup v2).
    /// Of no effect where there is no such limit.
    #[cfg(target_os = "linux")]
    pub fn memory_of_cgroup(mut self, percent: u8) -> Self {
        let limit = super::memory::cgroup_limit();
        self.limits.memory = limit
            .map(|limit| limit / 100 * u64::from(percent))
            .or(self.limits.memory);
        self
    }

    /// Sets how many turns and calls may wait for a process. One more fails with
    /// [`Error::is_busy`](crate::Error::is_busy). Default 10,000.
    pub fn queue(mut self, waiting: usize) -> Self {
        self.limits.queue = waiting;
        self
    }

    /// Sets how long a turn or a call may wait for a process. After that it fails with
    /// [`Error::is_busy`](crate::Error::is_busy). The time in which its process starts does not count. Default: no
    /// limit.
    pub fn wait(mut self, time: Duration) -> Self {
        self.limits.wait = Some(time);
        self
    }

    /// Sets how long a session whose turns overlap keeps its process while others wait. After that its next turn
    /// waits behind them. Default 60 s.
    pub fn tenure(mut self, time: Duration) -> Self {
        self.limits.tenure = time;
        self
    }

    /// Makes the pool. No process is started before a session needs one.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime: the pool's processes are worked on by the runtime in which it is made.
    pub fn build(self) -> Pool {
        let books = Books {
            plan: Plan::new(self.limits.clone()),
            members: HashMap::new(),
            live: HashMap::new(),
            tickets: HashMap::new(),
            tenants: HashMap::new(),
            next: 0,
        };
        let inner = Arc::new(Inner {
            books: Mutex::new(books),
            began: Instant::now(),
            runtime: Handle::current(),
            wait: self.limits.wait,
        });
        #[cfg(target_os = "linux")]
        if self.limits.memory.is_some() {
            inner
                .runtime
                .spawn(super::memory::watch(Arc::downgrade(&inner)));
        }
        Pool { inner }
    }
}
