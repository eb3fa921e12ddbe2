//! Deletes sessions: from the store, from this host's disk, and what the server keeps beside them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_client::store::{Owner, SessionRef, StoreError, StoredError};
use claw_sessions::{Session, on_pool};
use claw_types::SessionId;

use super::key::reference;
use super::moves::is_id;
use super::store::HubStore;
use super::{Edit, Hub, HubError, Inner, prompt_log};

/// The time for which a deleted session does not become live. A request that read the session before it was deleted has
/// ended by then.
const REMEMBERED: Duration = Duration::from_mins(1);

/// The sessions that are being deleted (`None`), and those that were deleted a moment ago, until this time.
#[derive(Debug, Default)]
pub(super) struct Deletions(Mutex<HashMap<SessionId, Option<Instant>>>);

impl Deletions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Option<Instant>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that a session is not being deleted, and was not deleted a moment ago. The caller holds the lock of the
    /// live sessions.
    ///
    /// # Errors
    ///
    /// [`HubError::Busy`] and [`HubError::Deleted`].
    pub(super) fn check(&self, id: &SessionId) -> Result<(), HubError> {
        match self.lock().get(id) {
            Some(None) => Err(HubError::Busy("the session is being deleted")),
            Some(Some(until)) if Instant::now() < *until => Err(HubError::Deleted),
            _ => Ok(()),
        }
    }
}

/// A deletion in progress: the session does not become live on this host.
struct Deletion {
    hub: Arc<Inner>,
    id: SessionId,
    /// The project of the session, if it was live.
    project: Option<String>,
    is_done: bool,
}

impl Drop for Deletion {
    fn drop(&mut self) {
        let mut all = self.hub.deletions.lock();
        let now = Instant::now();
        all.retain(|_, until| until.is_none_or(|until| now < until));
        if self.is_done {
            all.insert(self.id.clone(), Some(now + REMEMBERED));
        } else {
            all.remove(&self.id);
        }
    }
}

impl Hub {
    /// Deletes a session: its transcripts on this host's disk and in the store, its unanswered prompts, and the CLI's
    /// backups of the files that it has changed. In the store, a tombstone stays, so that no host brings the session
    /// back. With `ends`, a live session is closed first, and its process ends.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if there is no such session in a project of this server, with
    /// [`HubError::Live`] if the session is live and `ends` is not set, with [`HubError::Elsewhere`] if another host has
    /// claimed it or another running `claude` uses it, with [`HubError::Busy`] if its process has not ended in time, and
    /// with the errors of the disk and of the store. After an error, a part of the session may be deleted. Another call
    /// deletes the rest.
    ///
    /// # Cancel safety
    ///
    /// The session is deleted even if the future is dropped.
    pub async fn delete(&self, id: &str, ends: bool) -> Result<(), HubError> {
        let (hub, id) = (self.clone(), SessionId::from(id));
        match tokio::spawn(async move { hub.delete_now(id, ends).await }).await {
            Ok(deleted) => deleted,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(HubError::Busy("the server ends")),
            },
        }
    }

    async fn delete_now(&self, id: SessionId, ends: bool) -> Result<(), HubError> {
        if !is_id(id.as_str()) {
            return Err(HubError::NoSession);
        }
        let mut deletion = self.begin_deleting(&id, ends)?;
        if !self.last_process(&id).await {
            return Err(HubError::Busy("the process of the session has not ended"));
        }
        let in_store = self.patiently(|| self.all_stored(&id)).await?;
        let (hub, of) = (self.clone(), id.clone());
        let project = on_pool::run(move || hub.project_here(&of)).await?;
        let project = project.or_else(|| deletion.project.clone());
        if in_store.is_empty() && project.is_none() {
            return Err(HubError::NoSession);
        }
        if let Some(store) = &self.inner.store {
            // A tombstone also stays of a session that only this disk has, because another host may have it too.
            let mut all = in_store.clone();
            let here = project.and_then(|name| reference(self.project(&name).ok()?, &id).ok());
            all.extend(here.filter(|here| !in_store.contains(here)));
            for session in all {
                self.patiently(|| self.delete_stored(store, &session))
                    .await?;
            }
            store.forget();
        }
        let (hub, of) = (self.clone(), id.clone());
        on_pool::run(move || hub.delete_here(&of)).await?;
        deletion.is_done = true;
        drop(deletion);
        tracing::info!(session = id.as_str(), "the session is deleted");
        let activity = self.activity();
        activity.counts.change(|totals| totals.deleted += 1);
        activity.edits.send(Edit {
            id: id.as_str().to_owned(),
            deleted: true,
            ..Edit::default()
        });
        Ok(())
    }

    /// Keeps the session from becoming live. Closes it if it is live and `ends` is set.
    fn begin_deleting(&self, id: &SessionId, ends: bool) -> Result<Deletion, HubError> {
        let mut live = self.lock();
        if live.contains_key(id) && !ends {
            return Err(HubError::Live);
        }
        match self.inner.deletions.lock().entry(id.clone()) {
            Entry::Occupied(entry) if entry.get().is_none() => {
                return Err(HubError::Busy("the session is being deleted"));
            }
            entry => {
                entry.insert_entry(None);
            }
        }
        let closed = live.remove(id);
        drop(live);
        if let Some(closed) = &closed {
            self.inner.end_process(closed);
            closed.leave();
        }
        Ok(Deletion {
            hub: self.inner.clone(),
            id: id.clone(),
            project: closed.map(|closed| closed.project().to_owned()),
            is_done: false,
        })
    }

    /// The sessions of the store with this ID: those with a transcript, and those of which only prompts are kept.
    pub(super) async fn all_stored(&self, id: &SessionId) -> Result<Vec<SessionRef>, HubError> {
        let mut all = Vec::new();
        let Some(store) = &self.inner.store else {
            return Ok(all);
        };
        for project in self.projects() {
            let Ok(session) = reference(project, id) else {
                continue;
            };
            let has_lines = store.stored().has(&session).await?;
            let logs = prompt_log::logs_of(&**store.store(), &session).await;
            if has_lines || !logs.map_err(StoredError::from)?.is_empty() {
                all.push(session);
            }
        }
        Ok(all)
    }

    async fn delete_stored(&self, store: &HubStore, session: &SessionRef) -> Result<(), HubError> {
        let owner = self.owner().cloned();
        let owner = owner.unwrap_or_else(|| Owner::new("a deletion by claw serve"));
        let deleted = store.stored().delete(session, &owner).await;
        deleted.map_err(|error| match error {
            StoredError::Store(StoreError::Held { owner, .. }) => {
                HubError::Elsewhere(Box::new(owner))
            }
            error => error.into(),
        })
    }

    /// The name of the project in which this host has anything of the session. Fails if a running `claude` that is not
    /// of this server uses it. Blocks.
    fn project_here(&self, id: &SessionId) -> Result<Option<String>, HubError> {
        let cut = self.inner.marks.cut(id).map_err(HubError::Unkept)?;
        let session = self.find_if_any(id.as_str())?;
        let info = match session.as_ref().map(Session::info) {
            Some(Err(error)) if !error.is_not_found() => return Err(error.into()),
            Some(Ok(info)) => info,
            _ => None,
        };
        let folder = info.as_ref().and_then(|info| info.cwd.as_deref());
        let folder = folder.map(Path::new);
        let folder = folder.or_else(|| cut.as_ref().map(|cut| &*cut.folder));
        let project = folder.and_then(|folder| self.project_in(folder));
        // Such as one in a terminal, which would go on writing.
        if project.is_some()
            && let Some(pid) = session
                .as_ref()
                .map(Session::running_process)
                .transpose()?
                .flatten()
        {
            let owner = Owner::new(format!("claude, process {pid}"));
            return Err(HubError::Elsewhere(Box::new(owner)));
        }
        Ok(project.map(|project| project.name.clone()))
    }

    /// Deletes what this host has of a session. Blocks.
    fn delete_here(&self, id: &SessionId) -> Result<(), HubError> {
        if let Some(session) = self.find_if_any(id.as_str())? {
            let deleted = session.delete();
            self.refresh(&session);
            match deleted {
                Err(error) if !error.is_not_found() => return Err(error.into()),
                _ => {}
            }
        }
        self.inner.marks.settle(id, |_| true);
        self.inner.moves.forget(id);
        if let Some(store) = &self.inner.store {
            store.shelf.set(id, None).map_err(HubError::Unarchived)?;
        }
        for home in self.sessions().each() {
            // The ID was checked, so it is the name of one folder.
            let history = home.projects().with_file_name("file-history");
            match fs::remove_dir_all(history.join(id.as_str())) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(session = id.as_str(), %error, "the backups of files of a deleted session stay");
                }
                _ => {}
            }
        }
        Ok(())
    }
}
