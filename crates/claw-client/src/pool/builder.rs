//! The configuration of a pool.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_types::QueryOptions;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::clock::PoolClock;
use super::member::Build;
use super::scheduler::{Limits, Scheduler};
use super::spares::Template;
use super::{Inner, Pool, PoolState};
use crate::session::builder::SessionBuilder;

/// Configures a [`Pool`]. Created by [`Pool::builder`].
#[derive(Clone)]
#[must_use = "a pool begins with `build`"]
pub struct PoolBuilder {
    limits: Limits,
    limit_wait: Option<Duration>,
    spares: Vec<Spares>,
}

/// The number of spares of one kind, and the settings with which they are started. A spare is a process that the pool
/// starts before a session needs it.
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
            limit_wait: None,
            spares: Vec::new(),
        }
    }
}

impl PoolBuilder {
    /// Sets the maximum number of processes, including those that are starting or ending. The minimum is 1. Default: 8.
    pub fn processes(mut self, processes: usize) -> Self {
        self.limits.processes = processes.max(1);
        self
    }

    /// Sets how many processes may start at the same time. The minimum is 1. Default: 2, because a start keeps a whole
    /// core busy.
    pub fn starts(mut self, starts: usize) -> Self {
        self.limits.starts = starts.max(1);
        self
    }

    /// Sets how many bytes of memory all processes of the pool may use together, including their child processes.
    /// Default: no limit.
    ///
    /// The resident memory is measured every second; a process that has not been measured is counted as 300 MiB. Above
    /// the limit, the pool ends idle processes and starts no more. It never ends a busy process because of the limit,
    /// and one process may always run. A memory page that several processes share is counted for each of them.
    #[cfg(target_os = "linux")]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Sets [`memory`](Self::memory) to this percentage of the memory limit of this process's control group (cgroup
    /// v2). Without such a limit, this method has no effect.
    #[cfg(target_os = "linux")]
    pub fn memory_of_cgroup(mut self, percent: u8) -> Self {
        let limit = super::memory::cgroup_limit();
        self.limits.memory = limit
            .map(|limit| limit / 100 * u64::from(percent))
            .or(self.limits.memory);
        self
    }

    /// Sets how many turns and calls may wait for a process. Further turns and calls fail with an error for which
    /// [`Error::is_busy`](crate::Error::is_busy) is true. Default: 10,000.
    pub fn queue(mut self, waiting: usize) -> Self {
        self.limits.queue = waiting;
        self
    }

    /// Sets how long a turn or a call may wait for a process. After that, it fails with an error for which
    /// [`Error::is_busy`](crate::Error::is_busy) is true. The time that the process takes to start is not counted.
    /// Default: no limit.
    pub fn wait(mut self, time: Duration) -> Self {
        self.limits.wait = Some(time);
        self
    }

    /// Makes [`PooledSession::ask`](super::PooledSession::ask) wait for the reset of a usage limit. Default: it does
    /// not wait.
    ///
    /// If a turn ends at a usage limit of the login, and the CLI has reported the time of the limit's reset, the prompt
    /// waits until five seconds after that time. Then it is sent a second time, with a new UUID. A prompt never waits
    /// longer than `longest`: if the limit is reset later, the turn fails at once. The second turn also fails if it
    /// ends at a limit. A prompt that waits has no process, and is counted in
    /// [`PoolStats::limited`](super::PoolStats::limited). If the future of `ask` is dropped during the wait, the prompt
    /// is not sent again. The prompt that failed stays in the conversation.
    ///
    /// With an API key, the CLI does not report the time of the reset.
    pub fn limit_wait(mut self, longest: Duration) -> Self {
        self.limit_wait = Some(longest);
        self
    }

    /// Sets how long a session whose turns and calls overlap may keep its process while other sessions wait for one.
    /// After this time, the session's next turn waits behind the other sessions. A turn that begins after the session's
    /// previous turn has ended always waits behind them. Default: 60 s.
    pub fn tenure(mut self, time: Duration) -> Self {
        self.limits.tenure = time;
        self
    }

    /// Makes the pool keep this number of spares. A spare is a process that is started before a session needs it, and
    /// that has no prompt. Call this method several times for several kinds of sessions. Default: no spares.
    ///
    /// The first process of a session is a spare if the session's options fit the spare's options. That means:
    ///
    /// - These parts may differ: the option `title`; the options `model` and `permission_mode`, if the session sets
    ///   them; and everything that the builder registers (callbacks, hooks, MCP servers in this process).
    /// - A session with the mode `bypassPermissions` needs a spare with this mode.
    /// - Either both the session and the spare have a permission callback, or neither has one.
    /// - A session with hooks needs a CLI that applies the hooks of a second `initialize`. The CLI 2.1.200 does not.
    /// - All other options must be equal, such as `cwd`, `env`, the system prompt and the tools.
    /// - The session must not set its ID, and [`PooledSession::id`](super::PooledSession::id) must not have been
    ///   called.
    /// - The session must not resume a conversation, and must use neither its own
    ///   [transport](crate::SessionBuilder::transport) nor the [delivery](QueryOptions::delivery) `file`.
    ///
    /// A session that no spare fits gets a new process.
    ///
    /// Spares count as processes of the pool, and are started only if the pool has room for another process. The pool
    /// never ends a session's process to make room for a spare. If a session needs room for its process, spares are
    /// ended first. A spare that ends by itself is replaced after a pause, which grows from a second to a minute while
    /// spares keep ending. The pool calls `build` once for all these spares.
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

    /// Creates the pool. Except for [spares](Self::spares), no process is started before a session needs one.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime. The tasks of the pool run in the runtime in which it is created.
    pub fn build(self) -> Pool {
        let mut scheduler = Scheduler::new(self.limits.clone());
        let mut templates = Vec::new();
        for spares in &self.spares {
            match (spares.build)(spares.options.clone()).launch() {
                Ok(Some(launch)) => {
                    scheduler.add_template(spares.count);
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
            limited: HashMap::new(),
        };
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
            changed: Notify::default(),
            runtime: Handle::current(),
            wait: self.limits.wait,
            limit_wait: self.limit_wait,
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
