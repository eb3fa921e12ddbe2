//! How a pool is set up.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_types::QueryOptions;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::clock::PoolClock;
use super::scheduler::{Limits, Scheduler};
use super::session::Build;
use super::spares::Template;
use super::{Inner, Pool, PoolState};
use crate::SessionBuilder;

/// Sets a pool up: [`Pool::builder`].
#[derive(Clone)]
#[must_use = "a pool begins with `build`"]
pub struct PoolBuilder {
    limits: Limits,
    spares: Vec<Spares>,
}

/// How many spares of which kind.
#[derive(Clone)]
struct Spares {
    count: usize,
    options: QueryOptions,
    build: Build,
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
            spares: Vec::new(),
        }
    }
}

impl PoolBuilder {
    /// Sets the highest number of processes at any moment, including those that are starting or ending. At least 1.
    /// Default 8.
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

    /// Keeps so many processes ready for sessions that are yet to come: started, and without a prompt. Can be called
    /// several times, for sessions of several kinds. Default: none.
    ///
    /// The first process of a session is such a spare if its options are those of the spare. These may differ:
    /// `model` and `permission_mode` (where the session names one; `bypassPermissions` must be the spare's too), `title`,
    /// and all that the builder registers: callbacks, hooks, MCP servers in this process. A permission callback must be
    /// there for both or for none. Hooks need a CLI that applies them a second time; 2.1.200 does not. Everything else
    /// must be equal, above all `cwd`, `env`, the system prompt and tools; and the session must not name its id, nor
    /// have been asked for it. Sessions that resume a conversation, use a
    /// [transport](crate::SessionBuilder::transport) of their own or the delivery `file` start cold, as all others do
    /// for which there is no spare.
    ///
    /// Spares count as processes. They use free places only: no session's process is ended to make room for a spare,
    /// and a spare ends first when a session needs its place. A spare that ends by itself is replaced after a pause,
    /// which grows from a second to a minute while that repeats. `build` is called once.
    ///
    /// ```no_run
    /// use claw_client::pool::Pool;
    /// use claw_client::{QueryOptions, Session};
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let options = QueryOptions::default().cwd("/work/project");
    /// let pool = Pool::builder().spares(2, options.clone(), Session::builder).build();
    /// let session = pool.session(options.model("haiku"), Session::builder);
    /// println!("{}", session.ask("What is 2 + 2?").await?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn spares(
        mut self,
        count: usize,
        options: QueryOptions,
        build: impl Fn(QueryOptions) -> SessionBuilder + Send + Sync + 'static,
    ) -> Self {
        self.spares.push(Spares {
            count,
            options,
            build: Arc::new(build),
        });
        self
    }

    /// Makes the pool. No process is started before a session needs one, except for [spares](Self::spares).
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime: the pool's processes are worked on by the runtime in which it is made.
    pub fn build(self) -> Pool {
        let mut scheduler = Scheduler::new(self.limits.clone());
        let mut templates = Vec::new();
        for spares in &self.spares {
            match (spares.build)(spares.options.clone()).launch() {
                Ok(Some(launch)) => {
                    scheduler.want_spares(spares.count);
                    templates.push(Arc::new(Template::new(launch)));
                }
                Ok(None) => tracing::warn!("the pool has no spares with these options"),
                Err(error) => tracing::warn!(error = %error, "the pool has no spares"),
            }
        }
        let state = PoolState {
            clock: PoolClock::start(),
            scheduler,
            members: HashMap::new(),
            live: HashMap::new(),
            spare_processes: HashMap::new(),
            tickets: HashMap::new(),
            tenants: HashMap::new(),
            next: 0,
        };
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
            changed: Notify::default(),
            runtime: Handle::current(),
            wait: self.limits.wait,
            templates,
        });
        inner.update(|state, now| state.scheduler.tick(now));
        #[cfg(target_os = "linux")]
        if self.limits.memory.is_some() {
            inner
                .runtime
                .spawn(super::memory::watch(Arc::downgrade(&inner)));
        }
        Pool { inner }
    }
}

impl fmt::Debug for PoolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolBuilder")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
