//! A worker: its options, its store and its limits.

use std::sync::Arc;
use std::time::Duration;

use claw_client::store::StoreOptions;
use claw_cluster::{ClusterKey, HostUrl};
use claw_types::QueryOptions;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::running::Running;

/// A worker, which runs the turns of sessions for Restate. Cheap to clone. All clones are the same worker.
#[derive(Clone)]
pub struct Worker(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: QueryOptions,
    pub(crate) store: StoreOptions,
    /// The name of the project in the store, which all sessions of the worker have.
    pub(crate) project: String,
    pub(crate) address: HostUrl,
    pub(crate) key: ClusterKey,
    pub(crate) limits: Limits,
    pub(crate) places: Semaphore,
    pub(crate) running: Running,
    /// The attempts that are running, or whose claims are being released.
    pub(crate) attempts: TaskTracker,
}

/// The limits of a worker, and of a turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum number of turns that a worker runs at the same time. Further turns wait in the worker. Default: 4.
    pub processes: usize,
    /// The maximum duration of a turn. A longer turn is interrupted. If the interrupt does not end the turn, the turn
    /// fails. It is not repeated. Default: 12 hours.
    pub turn: Duration,
    /// The maximum number of attempts of a turn. After that, the turn fails, and is not repeated. Default: 5.
    pub attempts: u32,
    /// The maximum size of a result's text in bytes, and also of its structured output. Default: 1 MiB.
    pub result: usize,
    /// The maximum time that a permission request waits for its answer without a process. After that, the tool use is
    /// denied. With `None`, it is denied immediately. Default: `None`.
    pub answer: Option<Duration>,
    /// The interval of pings to Restate or the proxy, and also the maximum time for a response to a ping. Default: 3 s.
    pub keep_alive: Duration,
    /// The maximum time for which running turns continue after the worker was asked to end. Default: 1 min.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 4,
            turn: Duration::from_hours(12),
            attempts: 5,
            result: 1 << 20,
            answer: None,
            keep_alive: Duration::from_secs(3),
            drain: Duration::from_mins(1),
        }
    }
}

impl Limits {
    /// Returns the time without progress after which Restate aborts a turn. It is longer than the maximum time for
    /// which a turn waits for its start and then runs. Restate would run an aborted turn again, and the user would pay
    /// twice. So the worker must end the turn before that time.
    pub(crate) fn inactivity(&self) -> Duration {
        self.turn * 2 + Duration::from_hours(1)
    }
}

impl Limits {
    /// Returns the maximum time that a permission request waits, in milliseconds.
    pub(crate) fn answer_ms(&self) -> u64 {
        let limit = self.answer.unwrap_or_default().as_millis();
        u64::try_from(limit).unwrap_or(u64::MAX)
    }
}

impl Worker {
    /// Creates a worker. `project` is the name of the project in the store. It must be the same for all workers.
    /// `address` is the address at which the other workers reach this worker. `key` is the key that all workers share.
    ///
    /// # Errors
    ///
    /// Fails if the store has no claims. Without claims, two workers could write to the same session.
    pub fn new(
        options: QueryOptions,
        store: StoreOptions,
        project: impl Into<String>,
        address: HostUrl,
        key: ClusterKey,
        limits: Limits,
    ) -> Result<Self, WorkerError> {
        if store.store().claims().is_none() {
            return Err(WorkerError::NoClaims);
        }
        Ok(Self(Arc::new(Inner {
            options,
            store,
            project: project.into(),
            address,
            key,
            places: Semaphore::new(limits.processes.max(1)),
            limits,
            running: Running::default(),
            attempts: TaskTracker::new(),
        })))
    }

    /// Returns the number of running turns.
    pub fn running(&self) -> usize {
        self.0.running.count()
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("address", &self.0.address)
            .field("limits", &self.0.limits)
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}

/// The reason why a worker cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The store has no claims.
    #[error("this store has no claims: two workers could write one session")]
    NoClaims,
    /// The key with which Restate signs its requests is not valid.
    #[error("not a key of Restate, which begin with publickeyv1_: {0}")]
    IdentityKey(String),
}
