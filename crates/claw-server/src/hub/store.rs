//! Sessions in a store: what a hub shows and resumes of them.

use std::collections::HashMap;
use std::env::temp_dir;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use claw_client::store::{
    Changes, Checkout, SessionRef, StoreOptions, StoredError, StoredSession, StoredSessions,
};
use claw_sessions::on_pool;
use claw_types::SessionId;
use futures::StreamExt as _;

use super::found::Found;
use super::{Build, Hub, HubError, history};
use crate::Project;

/// How old a list of the store may be.
const FRESH: Duration = Duration::from_secs(1);

/// The store of a hub.
pub(super) struct HubStore {
    options: StoreOptions,
    sessions: StoredSessions,
    listed: Mutex<Option<(Instant, Listed)>>,
}

/// The sessions of the store that are of a project of this server, with the names of the projects.
pub(crate) type Listed = Arc<HashMap<SessionId, (String, StoredSession)>>;

impl HubStore {
    pub(super) fn new(options: StoreOptions) -> Self {
        let sessions = StoredSessions::new(options.store().clone());
        Self {
            options,
            sessions,
            listed: Mutex::default(),
        }
    }

    /// Makes the sessions of a project, which are kept in the store.
    pub(super) fn build(&self, build: &Build, project: &Project) -> Build {
        let (build, options) = (build.clone(), self.options.clone());
        let options = options.project(project.stored_name());
        Arc::new(move |query| build(query).store(options.clone()))
    }

    /// A project in it.
    pub(super) fn of(&self, project: &Project) -> StoredProject {
        StoredProject {
            options: self.options.clone(),
            name: project.stored_name(),
        }
    }

    /// The list is read again when it is asked for.
    fn forget(&self) {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn fresh(&self) -> Option<Listed> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, listed) = listed.as_ref()?;
        (since.elapsed() < FRESH).then(|| listed.clone())
    }
}

impl Hub {
    /// The sessions of the store that are of a project. None without a store. A list may be a second old.
    pub(crate) async fn stored(&self) -> Listed {
        let Some(store) = &self.inner.store else {
            return Listed::default();
        };
        if let Some(listed) = store.fresh() {
            return listed;
        }
        let mut all = HashMap::new();
        for project in self.projects() {
            match store.sessions.list(Some(&project.stored_name())).await {
                Ok(listing) => {
                    for (session, error) in listing.problems {
                        tracing::warn!(%session, %error, "a session of the store cannot be listed");
                    }
                    all.extend(listing.sessions.into_iter().map(|session| {
                        let id = SessionId::from(session.session.session());
                        (id, (project.name.clone(), session))
                    }));
                }
                // The sessions of the disk are listed all the same.
                Err(error) => {
                    tracing::warn!(project = project.name, %error, "the store cannot be listed");
                }
            }
        }
        let listed = Arc::new(all);
        let mut known = store.listed.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some((Instant::now(), listed.clone()));
        listed
    }

    /// Reads a session out of the store, with the prompts that an earlier server has not answered. `None` if the store
    /// does not have it, or there is none.
    pub(super) async fn read_stored(&self, id: &SessionId) -> Result<Option<Found>, HubError> {
        let Some((project, checkout)) = self.checkout(id).await? else {
            return Ok(None);
        };
        let (hub, id, name) = (self.clone(), id.clone(), project.name.clone());
        let found = on_pool::run(move || {
            let mut conversation = hub.new_conversation(&id);
            let session = checkout.session();
            history::read(session.entries()?, &mut conversation)?;
            let title = session.info()?.map(|info| info.summary);
            conversation.set(|state| state.title = title);
            let cut = hub.inner.marks.cut(&id).map_err(HubError::Unkept)?;
            for cut in cut.into_iter().flat_map(|(_, prompts)| prompts) {
                conversation.unanswered(&cut.prompt, cut.is_sent);
            }
            Ok::<_, HubError>(Found {
                project: name,
                conversation,
                is_kept: true,
                unsaid: None,
            })
        });
        found.await.map(Some)
    }

    /// Takes a session out of the store into a folder of its own. `None` if the store does not have it, or there is
    /// none.
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
                // Whatever is no session's ID names none.
                Err(StoredError::Sessions(claw_sessions::Error::InvalidId { .. })) => break,
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Changes a session in the store. `false` if the store does not have it, or there is none.
    pub(crate) async fn change_stored(
        &self,
        id: &SessionId,
        changes: &Changes,
    ) -> Result<bool, HubError> {
        let Some((store, session)) = self.found_stored(id).await? else {
            return Ok(false);
        };
        let done = store.sessions.change(&session, changes).await;
        store.forget();
        done.map(|()| true).map_err(|error| match error {
            StoredError::Lacks(_)
            | StoredError::Sessions(
                claw_sessions::Error::EmptyTitle | claw_sessions::Error::EmptyTag,
            ) => HubError::BadRequest(error.to_string()),
            error => error.into(),
        })
    }

    /// Forks a session in the store. `None` if the store does not have it, or there is none.
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
            if has(store.options.store().as_ref(), &session).await? {
                return Ok(Some((store, session)));
            }
        }
        Ok(None)
    }
}

/// A project in the store.
pub(super) struct StoredProject {
    options: StoreOptions,
    name: String,
}

impl StoredProject {
    /// Whether the store has a session of this ID in the project.
    pub(super) async fn has(&self, id: &SessionId) -> Result<bool, StoredError> {
        match SessionRef::new(&*self.name, id.as_str()) {
            Ok(session) => has(self.options.store().as_ref(), &session).await,
            Err(_) => Ok(false),
        }
    }
}

async fn has(
    store: &dyn claw_client::store::SessionStore,
    session: &SessionRef,
) -> Result<bool, StoredError> {
    let key = session.main();
    Ok(store.load(&key).next().await.transpose()?.is_some())
}

fn reference(
    project: &Project,
    id: &SessionId,
) -> Result<SessionRef, claw_client::store::KeyError> {
    SessionRef::new(project.stored_name(), id.as_str())
}
