//! Runs many sessions with a limited number of processes.
//!
//! Each session of Claude Code is a process of some hundred megabytes. A [`Pool`] runs at most a given number of them
//! at once. Its sessions outlive their processes: while a session waits for its next prompt, the pool may end its
//! process to make room for another session. When the prompt comes, a new process resumes the session from its
//! transcript on disk.
//!
//! ```no_run
//! use claw_client::pool::Pool;
//! use claw_client::{Error, QueryOptions, Session};
//!
//! # async fn example() -> Result<(), Error> {
//! let pool = Pool::builder().processes(8).build();
//! let sessions: Vec<_> = (0..100)
//!     .map(|_| pool.session(QueryOptions::default(), Session::builder))
//!     .collect();
//! for session in &sessions {
//!     println!("{}", session.ask("What is 2 + 2?").await?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What a session keeps over its processes
//!
//! The closure given to [`Pool::session`] is called for each process, so hooks, callbacks, MCP servers and options are
//! set again. The conversation is resumed from the session's transcript. A new process gets the permission mode that
//! the last process had at its end. Older CLIs, such as 2.1.200, do not report the mode, so it is lost with the
//! process. Changes made by [`PooledSession::change`] are repeated.
//!
//! When a process ends, its background work ends too: shells and sub-agents that outlive their turn.
//!
//! # Who gets a process
//!
//! A turn for which no process is free waits in a queue, first come, first served. While other sessions wait, no
//! session has two turns in a row: its next turn waits behind the turns that were requested earlier, and the pool may
//! end the session's process to make room for them. If its next turn is first in the queue before that happens, the
//! session keeps its process. If sessions have [tenants](PooledSessionBuilder::tenant), the tenants are served in turn.
//! The queue has a maximum [length](PoolBuilder::queue) and a maximum [waiting time](PoolBuilder::wait): a turn that
//! exceeds either fails before anything is sent, with an error for which [`Error::is_busy`](crate::Error::is_busy) is
//! true.
//!
//! # Events
//!
//! The pool emits `tracing` events with the target `claw_client::pool`: when it starts, evicts or ends a process, when
//! a process is ready or has ended by itself, when a turn is refused, and when a [spare](PoolBuilder::spares) is
//! started, taken over, given up or lost. Events that need attention have the level `WARN`, all others `DEBUG`. The
//! field `event` is one of `start`, `ready`, `failed`, `evict`, `end`, `crash`, `refuse`, `spare_start`, `spare_ready`,
//! `spare_claim`, `spare_claimed`, `spare_end`, `spare_failed` and `spare_fallback`. The event `stall` comes from the
//! session itself and has the target `claw_client::driver`. Fields identify sessions (by ID, once it is known) and
//! processes. No event contains a prompt, an answer or an option's value.

mod ask;
mod builder;
mod clock;
mod events;
mod member;
#[cfg(target_os = "linux")]
mod memory;
mod permit;
mod scheduler;
mod session;
mod spares;
mod start;
mod stats;
mod turn;

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use claw_types::{MessageUuid, QueryOptions, SessionId};
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};

use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::session::builder::SessionBuilder;
use crate::session::builder::warm::SpareProcess;

pub use builder::PoolBuilder;
pub use member::ResumeSource;
pub use session::{PooledProcess, PooledSession, PooledSessionBuilder};
pub use stats::PoolStats;
pub use turn::PooledTurn;

use clock::PoolClock;
use member::Member;
use permit::Permit;
use scheduler::{Generation, MemberId, Now, Output, Refusal, Scheduler, TenantId, Ticket};
use spares::Template;

/// A pool: a limited number of processes for any number of sessions. Clones share the same pool.
///
/// # Drop
///
/// The pool's sessions keep the pool alive: the pool ends with its last session. The process of a session ends with the
/// last handle of that session.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    state: Mutex<PoolState>,
    /// Notified after each update of the scheduler.
    changed: Notify,
    /// The runtime in which processes are started and ended, independent of the caller's runtime.
    runtime: Handle,
    wait: Option<std::time::Duration>,
    /// The maximum time that a prompt waits for the reset of a usage limit.
    limit_wait: Option<std::time::Duration>,
    /// The templates of spares. The index is the scheduler's `TemplateId`.
    templates: Vec<Arc<Template>>,
}

/// The state of a pool. A single lock protects the whole state, so a process and the scheduler's record of it always
/// agree.
struct PoolState {
    clock: PoolClock,
    scheduler: Scheduler,
    members: HashMap<MemberId, Weak<Member>>,
    live: HashMap<MemberId, (Generation, Session)>,
    /// The spares that wait for a session.
    spare_processes: HashMap<MemberId, SpareProcess>,
    tickets: HashMap<Ticket, oneshot::Sender<Result<Permit, Error>>>,
    /// The tenants that have sessions, each with the number of its sessions.
    tenants: HashMap<String, (TenantId, usize)>,
    next: u64,
    /// The prompts that wait for the reset of a usage limit, each with the time of the reset.
    limited: HashMap<u64, std::time::SystemTime>,
}

impl Pool {
    /// Creates a builder of a pool, with default settings.
    pub fn builder() -> PoolBuilder {
        PoolBuilder::default()
    }

    /// Adds a session. The pool calls `build` for each process that it starts for the session; the first prompt or call
    /// starts the first process. `build` receives the options. For a later process of the session, their `resume` names
    /// the conversation. In a pool with [spares](PoolBuilder::spares), the pool makes an additional call of `build` at
    /// the first prompt or call, to find out whether a spare fits. If a spare fits, the session gets the settings that
    /// this additional call built.
    ///
    /// ```no_run
    /// use claw_client::pool::Pool;
    /// use claw_client::{PermissionResult, QueryOptions, Session};
    ///
    /// # async fn example() {
    /// let pool = Pool::builder().processes(4).build();
    /// let session = pool.session(QueryOptions::default(), |options| {
    ///     Session::builder(options).can_use_tool(|_| async { PermissionResult::deny("not here") })
    /// });
    /// # }
    /// ```
    ///
    /// The option `resume` or `session_id` determines the session's ID. Without these options, the session gets a new
    /// ID.
    pub fn session(
        &self,
        options: QueryOptions,
        build: impl Fn(QueryOptions) -> SessionBuilder + Send + Sync + 'static,
    ) -> PooledSession {
        self.session_builder(options, build).open()
    }

    /// Creates a builder of a session, for settings that [`session`](Self::session) lacks, such as the tenant.
    pub fn session_builder(
        &self,
        options: QueryOptions,
        build: impl Fn(QueryOptions) -> SessionBuilder + Send + Sync + 'static,
    ) -> PooledSessionBuilder {
        PooledSessionBuilder::new(self.clone(), options, Arc::new(build))
    }

    /// Waits for the processes that are ending now, such as those of sessions that were dropped, and for the processes
    /// of sessions that were dropped during their start. It does not end sessions, and does not wait for sessions that
    /// still have handles. Before a program exits, it should wait for this future and for
    /// [`PooledSession::end_process`], so that all transcripts are complete.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn wait_for_endings(&self) -> impl Future<Output = ()> + Send + use<> {
        let inner = self.inner.clone();
        let leaving = {
            let state = inner.lock();
            // If only one handle is left, it belongs to the task that starts the process: the application has dropped
            // the session.
            let is_left = |member| {
                let handles = state.members.get(&member).map(Weak::strong_count);
                handles.is_none_or(|handles| handles <= 1)
            };
            state.scheduler.leaving(is_left)
        };
        async move {
            let mut changed = pin!(inner.changed.notified());
            loop {
                // Registers for notifications before it checks the state. So no change between the check and the wait
                // is missed.
                changed.as_mut().enable();
                let has = |state: &PoolState| {
                    let mut leaving = leaving.iter();
                    leaving.any(|(member, generation)| state.scheduler.has(*member, *generation))
                };
                if !has(&inner.lock()) {
                    return;
                }
                changed.as_mut().await;
                changed.set(inner.changed.notified());
            }
        }
    }

    /// Returns the pool's counters: the current processes and turns, and totals since the pool was created.
    pub fn stats(&self) -> PoolStats {
        let state = self.inner.lock();
        PoolStats {
            limited: state.limited.len(),
            limit_reset: state.limited.values().min().copied(),
            ..PoolStats::of(&state.scheduler)
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the scheduler's state, then carries out its outputs. The outputs are carried out without the lock,
    /// because they can call back into the pool.
    fn update<T>(self: &Arc<Self>, what: impl FnOnce(&mut PoolState, Now) -> T) -> T {
        let mut done = Vec::new();
        let result = {
            let mut state = self.lock();
            let now = state.now();
            let result = what(&mut state, now);
            while let Some(output) = state.scheduler.next_output() {
                done.push(self.prepared(&mut state, output));
            }
            result
        };
        for action in done {
            action(self);
        }
        self.changed.notify_waiters();
        result
    }

    /// Takes everything that an output needs from the state. Returns the action that carries out the output after the
    /// lock is released.
    fn prepared(self: &Arc<Self>, state: &mut PoolState, output: Output) -> Action {
        events::ordered(&output, state);
        match output {
            Output::Start(id, generation) => {
                let member = state.members.get(&id).and_then(Weak::upgrade);
                Box::new(move |pool| start::start(pool, id, generation, member))
            }
            Output::StartSpare(id, generation, template) => {
                Box::new(move |pool| spares::start(pool, id, generation, template))
            }
            Output::Claim(id, generation, spare) => {
                let spare_process = state.spare_processes.remove(&spare);
                let member = state.members.get(&id).and_then(Weak::upgrade);
                Box::new(move |pool| start::claim(pool, id, generation, member, spare_process))
            }
            Output::Wake(at) => Box::new(move |pool| spares::wake_at(pool, at)),
            Output::End(id, generation) => {
                if let Some(spare_process) = state.spare_processes.remove(&id) {
                    return Box::new(move |pool| spares::end(pool, id, generation, spare_process));
                }
                let session = state.live.get(&id).map(|(_, session)| session.clone());
                let member = state.members.get(&id).and_then(Weak::upgrade);
                Box::new(move |pool| start::end(pool, id, generation, session, member))
            }
            Output::Grant(ticket, member, generation) => {
                let live = state.live.get(&member).filter(|(of, _)| *of == generation);
                let session = live.map(|(_, session)| session.clone());
                let asker = state.tickets.remove(&ticket);
                let permit =
                    session.map(|session| Permit::new(self.clone(), member, generation, session));
                Box::new(move |_| {
                    // Sending fails if the future that requested the permit was dropped. The permit is then dropped
                    // too, so the process counts as unused again.
                    if let (Some(asker), Some(permit)) = (asker, permit) {
                        let _ = asker.send(Ok(permit));
                    }
                })
            }
            Output::Refuse(ticket, why) => {
                let asker = state.tickets.remove(&ticket);
                let error = Cause::Busy {
                    waiting: state.scheduler.waiting(),
                    waited: self.wait.filter(|_| why == Refusal::TimedOut),
                };
                Box::new(move |_| {
                    if let Some(asker) = asker {
                        let _ = asker.send(Err(error.into()));
                    }
                })
            }
        }
    }
}

type Action = Box<dyn FnOnce(&Arc<Inner>) + Send>;

impl PoolState {
    fn now(&mut self) -> Now {
        self.clock.now(self.scheduler.has_deadlines())
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Returns the tenant with this name, and adds one session to its count.
    fn join_tenant(&mut self, name: &str) -> TenantId {
        if let Some((tenant, sessions)) = self.tenants.get_mut(name) {
            *sessions += 1;
            return *tenant;
        }
        let tenant = TenantId(self.number());
        self.tenants.insert(name.to_owned(), (tenant, 1));
        tenant
    }

    /// Removes one session from the count of the tenant with this name.
    fn leave_tenant(&mut self, name: &str) {
        if let Some((_, sessions)) = self.tenants.get_mut(name) {
            *sessions -= 1;
            if *sessions == 0 {
                self.tenants.remove(name);
            }
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Returns a random ID for a new session.
fn new_id() -> SessionId {
    SessionId::from(MessageUuid::random().as_str())
}

#[cfg(test)]
mod tests {
    use claw_types::QueryOptions;

    use super::Pool;
    use crate::handle::Session;

    #[tokio::test]
    async fn a_tenant_is_forgotten_with_its_last_session() {
        let pool = Pool::builder().build();
        let open = |name: &str| {
            let options = QueryOptions::default();
            pool.session_builder(options, Session::builder)
                .tenant(name, 1)
                .open()
        };
        let (first, second, other) = (open("a"), open("a"), open("b"));
        let tenants = || pool.inner.lock().tenants.len();
        assert_eq!(tenants(), 2);
        second.set_tenant("c", 1);
        assert_eq!(tenants(), 3);
        second.set_tenant("a", 1);
        second.set_tenant("a", 2);
        assert_eq!(tenants(), 2);
        drop((first, other));
        assert_eq!(tenants(), 1);
        drop(second);
        assert_eq!(tenants(), 0);
        assert_eq!(pool.stats().sessions, 0);
    }
}
