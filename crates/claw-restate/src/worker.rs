//! What a worker is: options, a store, and limits.

use std::sync::Arc;
use std::time::Duration;

use claw_client::store::StoreOptions;
use claw_server::{ClusterKey, HostUrl};
use claw_types::QueryOptions;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::running::Running;

/// A worker: runs the turns of sessions that Restate gives it. Cheap to clone; every clone is the same worker.
#[derive(Clone)]
pub struct Worker(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: QueryOptions,
    pub(crate) store: StoreOptions,
    /// The name of the project in the store.
    pub(crate) project: String,
    pub(crate) address: HostUrl,
    pub(crate) key: ClusterKey,
    pub(crate) limits: Limits,
    pub(crate) places: Semaphore,
    pub(crate) running: Running,
    /// Attempts that run, or whose claims are being given up.
    pub(crate) attempts: TaskTracker,
}

/// The limits of a worker, and of a turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// How many turns a worker runs at once. Others wait in the worker. Default: 4.
    pub processes: usize,
    /// How long a turn may take. A turn that takes longer is interrupted, and fails if that does not end it. It is not
    /// repeated. Default: 12 hours.
    pub turn: Duration,
    /// How often a turn may be begun. After that it fails, and is not repeated. Default: 5.
    pub attempts: u32,
    /// How many bytes the text of a result may have, and the structured output. Default: 1 MiB.
    pub result: usize,
    /// How long a permission request waits for its answer, without a process. After that the tool is denied. `None`: it is
    /// denied at once. Default: `None`.
    pub answer: Option<Duration>,
    /// How often Restate or the proxy is asked whether the connection is there, and how long it may take to answer.
    /// Default: 3 s.
    pub keep_alive: Duration,
    /// How long turns may continue when the worker is asked to end. Default: 1 min.
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
    /// How long Restate may see no progress of a turn: as long as a turn may wait for a place and then take, and some
    /// more. After this time, Restate aborts the turn and runs it again, at the cost of the user. So the end has to come
    /// from the worker, before that.
    pub(crate) fn inactivity(&self) -> Duration {
        self.turn * 2 + Duration::from_hours(1)
    }
}

impl Limits {
    /// How long a request waits, in milliseconds.
    pub(crate) fn answer_ms(&self) -> u64 {
        let limit = self.answer.unwrap_or_default().as_millis();
        u64::try_from(limit).unwrap_or(u64::MAX)
    }
}

impl Worker {
    /// Creates a worker. `project` is the name under which the store has the sessions, the same on all workers. `address`
    /// is where the other workers reach this one, and `key` is the key that all of them have.
    ///
    /// # Errors
    ///
    /// Fails if the store has no claims: two workers could write one session then.
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

    /// How many turns run now.
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

/// Why a worker cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The store has no claims.
    #[error("this store has no claims: two workers could write one session")]
    NoClaims,
    /// The key that Restate signs its requests with is none.
    #[error("not a key of Restate, which begin with publickeyv1_: {0}")]
    IdentityKey(String),
}
