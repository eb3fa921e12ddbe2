//! The store of a hub, with the sessions that the hub shows and resumes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_client::store::{
    Leases, SessionIndex, SessionRef, SessionStore, StoreOptions, StoredError, StoredSession,
    StoredSessions,
};
use claw_client::{QueryOptions, SessionBuilder};
use claw_sessions::Sessions;
use claw_types::SessionId;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};

use super::claims::HubClaims;
use super::shelf::Shelf;
use crate::Project;

/// The shortest and the longest time for which a list is reused.
const FRESH: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// A function that creates the session builder of a process from the process's options.
pub(crate) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// The store of a hub.
pub(super) struct HubStore {
    options: StoreOptions,
    /// The claims of this host, if it is one of several.
    claims: Option<Arc<HubClaims>>,
    /// Maximum time for which a call waits for an unreachable store. This is the duration of a claim.
    pub(super) patience: Duration,
    sessions: StoredSessions,
    index: SessionIndex,
    pub(super) shelf: Arc<Shelf>,
    list: Arc<Mutex<CachedList>>,
}

/// The sessions of the store that belong to a project of this server, with the names of their projects.
pub(crate) type Listed = Arc<HashMap<SessionId, (String, StoredSession)>>;

/// The last list, and the running read of the next list. All callers share this read.
#[derive(Default)]
struct CachedList {
    last: Listed,
    /// Whether `last` may be incomplete.
    is_part: bool,
    /// The time until which the list is not read again.
    fresh_until: Option<Instant>,
    /// The time at which `last` was read.
    read_at: Option<Instant>,
    reading: Option<Shared<BoxFuture<'static, ()>>>,
}

impl HubStore {
    /// Creates the store of a hub. `is_claiming` is `true` if this host is one of several. Blocks.
    pub(super) fn new(options: StoreOptions, sessions: &Sessions, is_claiming: bool) -> Self {
        let leases = Leases::new(&options);
        let patience = leases.ttl();
        let leases = Some(leases).filter(|_| is_claiming);
        let options = match &leases {
            Some(leases) => options.leases(leases.clone()),
            None => options,
        };
        Self {
            claims: leases.map(|leases| Arc::new(HubClaims::new(leases))),
            patience,
            shelf: Arc::new(Shelf::of(sessions)),
            sessions: options.sessions(),
            index: options.index(),
            options,
            list: Arc::default(),
        }
    }

    pub(super) fn claims(&self) -> Option<&Arc<HubClaims>> {
        self.claims.as_ref()
    }

    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    pub(super) fn stored(&self) -> &StoredSessions {
        &self.sessions
    }

    pub(super) fn index(&self) -> &SessionIndex {
        &self.index
    }

    pub(super) fn store(&self) -> &Arc<dyn SessionStore> {
        self.sessions.store()
    }

    /// Returns a function that builds sessions as `build` does, but stores them in this store, as sessions of the
    /// project.
    pub(super) fn build(&self, build: &Build, project: &Project) -> Build {
        let (build, options) = (build.clone(), self.options.clone());
        let options = options.project(project.stored_name());
        Arc::new(move |query| build(query).store(options.clone()))
    }

    /// Returns the project under the name that it has in the store.
    pub(super) fn of(&self, project: &Project) -> StoredProject {
        StoredProject {
            sessions: self.sessions.clone(),
            name: project.stored_name(),
        }
    }

    /// Makes the next call read the list again.
    pub(super) fn forget(&self) {
        lock(&self.list).fresh_until = None;
    }

    /// Returns the last list, and whether it is complete.
    pub(super) fn last(&self) -> (Listed, bool) {
        let list = lock(&self.list);
        (list.last.clone(), !list.is_part)
    }

    /// Returns whether the last list was read within this time.
    pub(super) fn is_younger(&self, age: Duration) -> bool {
        let read_at = lock(&self.list).read_at;
        read_at.is_some_and(|read_at| read_at.elapsed() < age)
    }

    /// Returns the running read of the list, or begins a read. Returns `None` while the last list is fresh.
    pub(super) fn reading(&self, projects: &[Project]) -> Option<Shared<BoxFuture<'static, ()>>> {
        let mut list = lock(&self.list);
        if list.fresh_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let begin = || {
            let names = projects.iter();
            let names = names.map(|project| (project.name.clone(), project.stored_name()));
            let read = read(self.sessions.clone(), names.collect(), self.list.clone());
            let reading = read.boxed().shared();
            // A separate task runs the read, so that it completes even if all callers are dropped.
            tokio::spawn(reading.clone());
            reading
        };
        Some(list.reading.get_or_insert_with(begin).clone())
    }
}

/// Reads the list. A read can be expensive: in a bucket, it needs two requests for each session. So the list is then
/// reused for ten times as long as the read took, within the bounds [`FRESH`].
async fn read(
    sessions: StoredSessions,
    projects: Vec<(String, String)>,
    list: Arc<Mutex<CachedList>>,
) {
    let began = Instant::now();
    let mut all = HashMap::new();
    let (mut is_whole, mut is_part) = (true, false);
    for (name, stored_name) in projects {
        match sessions.list(Some(&stored_name)).await {
            Ok(listing) => {
                is_part |= !listing.problems.is_empty();
                for (session, error) in listing.problems {
                    let id = session.session();
                    tracing::warn!(session.id = id, project = name, %error, "a session of the store cannot be listed");
                }
                all.extend(listing.sessions.into_iter().map(|session| {
                    let id = SessionId::from(session.session.session());
                    (id, (name.clone(), session))
                }));
            }
            Err(error) => {
                is_whole = false;
                tracing::warn!(project = name, %error, "the store cannot be listed");
            }
        }
    }
    let [least, most] = FRESH;
    let mut list = lock(&list);
    if is_whole {
        list.last = Arc::new(all);
        list.read_at = Some(Instant::now());
    }
    list.is_part = is_part || !is_whole;
    list.fresh_until = Some(Instant::now() + (began.elapsed() * 10).clamp(least, most));
    list.reading = None;
}

fn lock(list: &Mutex<CachedList>) -> MutexGuard<'_, CachedList> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A project in the store.
pub(super) struct StoredProject {
    sessions: StoredSessions,
    name: String,
}

impl StoredProject {
    /// Whether the store has a session with this ID in the project.
    pub(super) async fn has(&self, id: &SessionId) -> Result<bool, StoredError> {
        match SessionRef::new(&*self.name, id.as_str()) {
            Ok(session) => self.sessions.has(&session).await,
            Err(_) => Ok(false),
        }
    }
}
