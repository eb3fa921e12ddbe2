//! The sessions in a store that a hub shows and resumes.

use std::collections::HashMap;
use std::env::temp_dir;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_client::store::{
    Changes, Checkout, Leases, SessionRef, SessionStore, StoreOptions, StoredError, StoredSession,
    StoredSessions,
};
use claw_client::{QueryOptions, SessionBuilder};
use claw_sessions::{Sessions, on_pool};
use claw_types::SessionId;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use tokio::time::timeout;

use super::claims::HubClaims;
use super::found::{Found, add_unanswered};
use super::key::reference;
use super::shelf::Shelf;
use super::{Hub, HubError, history};
use crate::Project;

/// Maximum wait for a list from the store. After that, the previous list is shown.
const PATIENCE: Duration = Duration::from_secs(3);

/// Lower and upper bound of the time for which a list is reused.
const FRESH: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// Makes the session of a process from its options.
pub(crate) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// The store of a hub.
pub(super) struct HubStore {
    options: StoreOptions,
    /// The claims of this host, if it is one of several.
    claims: Option<Arc<HubClaims>>,
    /// Maximum wait for an unreachable store: the duration of a claim.
    pub(super) patience: Duration,
    sessions: StoredSessions,
    shelf: Arc<Shelf>,
    list: Arc<Mutex<CachedList>>,
}

/// The sessions of the store that belong to a project of this server, with the names of their projects.
pub(crate) type Listed = Arc<HashMap<SessionId, (String, StoredSession)>>;

/// The last list, and the read of the next one, which all callers share.
#[derive(Default)]
struct CachedList {
    last: Listed,
    /// Whether the store has, or may have, sessions that `last` lacks.
    is_part: bool,
    /// The time until which the list is not read again.
    fresh_until: Option<Instant>,
    reading: Option<Shared<BoxFuture<'static, ()>>>,
}

impl HubStore {
    /// `is_claiming` means that this host is one of several. Blocks.
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

    pub(super) fn store(&self) -> &Arc<dyn SessionStore> {
        self.sessions.store()
    }

    /// Builds the sessions of a project, which are stored in the store.
    pub(super) fn build(&self, build: &Build, project: &Project) -> Build {
        let (build, options) = (build.clone(), self.options.clone());
        let options = options.project(project.stored_name());
        Arc::new(move |query| build(query).store(options.clone()))
    }

    /// The project in this store.
    pub(super) fn of(&self, project: &Project) -> StoredProject {
        StoredProject {
            sessions: self.sessions.clone(),
            name: project.stored_name(),
        }
    }

    /// Makes the next call read the list again.
    fn forget(&self) {
        lock(&self.list).fresh_until = None;
    }

    /// The running read of a list, or a new one. `None` while the last list is fresh.
    fn reading(&self, projects: &[Project]) -> Option<Shared<BoxFuture<'static, ()>>> {
        let mut list = lock(&self.list);
        if list.fresh_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let begin = || {
            let names = projects.iter();
            let names = names.map(|project| (project.name.clone(), project.stored_name()));
            let read = read(self.sessions.clone(), names.collect(), self.list.clone());
            let reading = read.boxed().shared();
            // The read completes even if all callers were dropped.
            tokio::spawn(reading.clone());
            reading
        };
        Some(list.reading.get_or_insert_with(begin).clone())
    }
}

/// Reads a list. The list is then reused for ten times as long as the read took, within bounds: a list of a bucket
/// needs two requests for each session.
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
                    tracing::warn!(%session, %error, "a session of the store cannot be listed");
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
    }
    list.is_part = is_part || !is_whole;
    list.fresh_until = Some(Instant::now() + (began.elapsed() * 10).clamp(least, most));
    list.reading = None;
}

fn lock(list: &Mutex<CachedList>) -> MutexGuard<'_, CachedList> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// The sessions of the store that belong to a project. Empty without a store. If the store is slow or unreachable,
    /// this returns an older list after at most [`PATIENCE`].
    pub(crate) async fn stored(&self) -> Listed {
        self.stored_and_whole().await.0
    }

    /// Returns the sessions in the store as [`stored`](Self::stored) does, and whether the list is complete.
    pub(crate) async fn stored_and_whole(&self) -> (Listed, bool) {
        let Some(store) = &self.inner.store else {
            return (Listed::default(), true);
        };
        let mut is_late = false;
        if let Some(reading) = store.reading(self.projects()) {
            is_late = timeout(PATIENCE, reading).await.is_err();
        }
        let list = lock(&store.list);
        (list.last.clone(), !is_late && !list.is_part)
    }

    /// The sessions of the store. `None` without a store.
    pub(crate) fn stored_sessions(&self) -> Option<&StoredSessions> {
        self.inner.store.as_ref().map(|store| &store.sessions)
    }

    /// Reads a session from the store, with the prompts that an earlier server has not answered. `None` if the store
    /// does not have it, or without a store.
    pub(super) async fn read_stored(&self, id: &SessionId) -> Result<Option<Found>, HubError> {
        let Some((project, checkout)) = self.checkout(id).await? else {
            return Ok(None);
        };
        let session = reference(project, id).map_err(claw_client::store::StoreError::from);
        let mut kept = self
            .kept_notices(&session.map_err(StoredError::from)?)
            .await?;
        let (hub, id, name) = (self.clone(), id.clone(), project.name.clone());
        let found = on_pool::run(move || {
            let mut conversation = hub.new_conversation(&id);
            let session = checkout.session();
            history::read(session, &mut conversation, &mut kept)?;
            hub.add_cost(session, &mut conversation)?;
            let title = session.info()?.map(|info| info.summary);
            let cut = hub.inner.marks.cut(&id).map_err(HubError::Unkept)?;
            add_unanswered(&mut conversation, title, cut);
            Ok::<_, HubError>(Found {
                project: name,
                conversation,
                is_kept: true,
                unsaid: None,
                worktree: None,
                kept: kept.count,
            })
        });
        found.await.map(Some)
    }

    /// Copies a session from the store into a temporary folder. `None` if the store does not have it, or without a
    /// store.
    pub(crate) async fn checkout(
        &self,
        id: &SessionId,
    ) -> Result<Option<(&Project, Checkout)>, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(None);
        };
        for project in self.projects() {
            let Ok(session) = reference(project, id) else {
                continue;
            };
            match store.sessions.checkout(&session, &temp_dir()).await {
                Ok(checkout) => return Ok(Some((project, checkout))),
                // An invalid session ID names no session.
                Err(StoredError::Sessions(claw_sessions::Error::InvalidId { .. })) => break,
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Changes a session in the store. `false` if the store does not have it, or without a store.
    pub(crate) async fn change_stored(
        &self,
        id: &SessionId,
        changes: &Changes,
    ) -> Result<bool, HubError> {
        let Some((store, session)) = self.found_stored(id).await? else {
            return Ok(false);
        };
        let is_archived = self.is_shelved(id).await;
        let done = store.sessions.change(&session, changes).await;
        store.forget();
        if is_archived {
            // A new title does not continue the conversation, so the session stays archived.
            self.shelve(id, true).await?;
        }
        done.map(|()| true).map_err(|error| match error {
            StoredError::Sessions(
                claw_sessions::Error::EmptyTitle | claw_sessions::Error::EmptyTag,
            ) => HubError::BadRequest(error.to_string()),
            error => error.into(),
        })
    }

    /// Whether a session that only the store has is archived.
    async fn is_shelved(&self, id: &SessionId) -> bool {
        let stored = self.stored().await;
        let session = stored.get(id);
        session.is_some_and(|(_, session)| self.has_shelved(id, session.modified))
    }

    /// Whether a session that only the store has, and that was last written at this time, is archived.
    pub(crate) fn has_shelved(&self, id: &SessionId, modified: i64) -> bool {
        let store = self.inner.store.as_ref();
        store.is_some_and(|store| store.shelf.has(id, modified))
    }

    /// Archives a session that only the store has, or removes it from the archive. `false` if the store does not have
    /// it, or without a store.
    pub(crate) async fn shelve(&self, id: &SessionId, archived: bool) -> Result<bool, HubError> {
        let Some((store, _)) = self.found_stored(id).await? else {
            return Ok(false);
        };
        // The time comes from the store, whose clock may differ from this host's. The cached list may have an older
        // time.
        let until = if archived {
            store.forget();
            let stored = self.stored().await;
            let Some((_, session)) = stored.get(id) else {
                return Ok(false);
            };
            Some(session.modified)
        } else {
            None
        };
        let (archive, of) = (store.shelf.clone(), id.clone());
        let set = on_pool::run(move || archive.set(&of, until)).await;
        set.map_err(HubError::Unarchived)?;
        Ok(true)
    }

    /// Forks a session in the store. `None` if the store does not have it, or without a store.
    pub(crate) async fn fork_stored(
        &self,
        id: &SessionId,
        up_to: Option<&str>,
        title: Option<String>,
    ) -> Result<Option<SessionId>, HubError> {
        let Some((store, session)) = self.found_stored(id).await? else {
            return Ok(None);
        };
        let mut fork = store.sessions.fork(&session);
        if let Some(message) = up_to {
            fork = fork.up_to(message);
        }
        if let Some(title) = title {
            fork = fork.title(title);
        }
        let fork = fork.run().await?;
        store.forget();
        Ok(Some(SessionId::from(fork.session())))
    }

    async fn found_stored(
        &self,
        id: &SessionId,
    ) -> Result<Option<(&HubStore, SessionRef)>, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(None);
        };
        for project in self.projects() {
            let Ok(session) = reference(project, id) else {
                continue;
            };
            if store.sessions.has(&session).await? {
                return Ok(Some((store, session)));
            }
        }
        Ok(None)
    }
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
