//! Deletes sessions from the store and from this host's disk, together with the files that the server has about them.

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
use super::{Edit, Hub, HubError, Inner, detached, prompt_log};
use crate::Project;

/// The time after a deletion during which the session cannot become live. A request may have read the session before
/// the deletion. After this time, no such request still runs.
const REMEMBERED: Duration = Duration::from_mins(1);

/// The sessions that cannot become live. The value is `None` while a session is being deleted. After the deletion, the
/// value is the time until which the session cannot become live.
#[derive(Debug, Default)]
pub(super) struct Deletions(Mutex<HashMap<SessionId, Option<Instant>>>);

impl Deletions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Option<Instant>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that a session is not being deleted, and was not deleted within the last minute. The caller holds the
    /// lock of the live sessions.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if the session is being deleted, and with [`HubError::Deleted`] if it was deleted
    /// within the last minute.
    pub(super) fn check(&self, id: &SessionId) -> Result<(), HubError> {
        match self.lock().get(id) {
            Some(None) => Err(HubError::Busy("the session is being deleted")),
            Some(Some(until)) if Instant::now() < *until => Err(HubError::Deleted),
            _ => Ok(()),
        }
    }
}

/// What a list has shown of a session that is to be deleted if it has not changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownSession {
    /// Whether the store had the session.
    pub(super) is_stored: bool,
    /// The time at which the session was changed last, in milliseconds since 1970. It is the store's time if the store
    /// had the session.
    pub(super) modified: i64,
}

/// A deletion in progress. While this value exists, the session cannot become live on this host.
struct Deletion {
    hub: Arc<Inner>,
    id: SessionId,
    /// The name of the session's project, if the session was live.
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
    /// backups of the files that the session has changed. A tombstone stays in the store, and prevents all hosts from
    /// storing the session again. If `ends` is `true`, a live session is closed first, and its process ends.
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
        let deleted = detached::run(async move { hub.delete_now(id, ends, None).await });
        deleted.await?.map(drop)
    }

    /// Deletes a session as [`delete`](Self::delete) does, unless it is live or has changed. Returns `false` if it has
    /// changed, or if it waits for a person.
    pub(super) async fn delete_unchanged(
        &self,
        id: SessionId,
        known: KnownSession,
    ) -> Result<bool, HubError> {
        let hub = self.clone();
        detached::run(async move { hub.delete_now(id, false, Some(known)).await }).await?
    }

    /// Deletes a session. If `known` is set, only deletes a session that has not changed and does not wait for a person.
    /// Returns whether the session was deleted.
    async fn delete_now(
        &self,
        id: SessionId,
        ends: bool,
        known: Option<KnownSession>,
    ) -> Result<bool, HubError> {
        if !is_id(id.as_str()) {
            return Err(HubError::NoSession);
        }
        let mut deletion = self.begin_deleting(&id, ends)?;
        if !self.last_process(&id).await {
            return Err(HubError::Busy("the process of the session has not ended"));
        }
        let in_store = self.patiently(|| self.all_stored(&id)).await?;
        let (hub, of) = (self.clone(), id.clone());
        let (live, stored) = (deletion.project.clone(), in_store.clone());
        let project = on_pool::run(move || {
            let project = hub.project_here(&of)?.or(live);
            // If the home of the project's wall cannot be read, a transcript may be left there.
            let is_of = |it: &&Project| {
                let is_stored = reference(it, &of).is_ok_and(|own| stored.contains(&own));
                is_stored || project.as_ref() == Some(&it.name)
            };
            let mut of_session = hub.projects().iter().filter(is_of);
            of_session.try_for_each(|it| hub.check_home(it))?;
            Ok::<_, HubError>(project)
        });
        let project = project.await?;
        if in_store.is_empty() && project.is_none() {
            return Err(HubError::NoSession);
        }
        // From here on, the session cannot become live on this host.
        if let Some(known) = known
            && self.has_changed(&id, &in_store, known).await?
        {
            return Ok(false);
        }
        if let Some(store) = &self.inner.store {
            // A session that exists only on this host's disk gets a tombstone in the store too. Another host may have a
            // copy on its disk, and the tombstone prevents that host from storing it.
            let mut all = in_store.clone();
            let here = project.and_then(|name| reference(self.project(&name).ok()?, &id).ok());
            all.extend(here.filter(|here| !in_store.contains(here)));
            let modified = known.and_then(|known| known.is_stored.then_some(known.modified));
            for session in all {
                let deleted = self.patiently(|| self.delete_stored(store, &session, modified));
                if !deleted.await? {
                    return Ok(false);
                }
                if let Err(error) = store.index().remove(&session).await {
                    tracing::warn!(session = id.as_str(), %error, "the index entry of a deleted session stays");
                }
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
        Ok(true)
    }

    /// Whether a session has changed after the time in `known`, or waits for a person now. Does not read the times of
    /// sessions in the store, because their deletion compares these times itself.
    async fn has_changed(
        &self,
        id: &SessionId,
        in_store: &[SessionRef],
        known: KnownSession,
    ) -> Result<bool, HubError> {
        for session in in_store {
            if !known.is_stored || self.is_waiting(session).await? {
                return Ok(true);
            }
        }
        if known.is_stored {
            return Ok(false);
        }
        if self.is_cut(id) {
            return Ok(true);
        }
        let (hub, of) = (self.clone(), id.clone());
        let modified = on_pool::run(move || {
            let session = hub.find_if_any(of.as_str())?;
            let info = session.map(|session| session.info()).transpose()?;
            Ok::<_, HubError>(info.flatten().and_then(|info| info.last_modified.as_i64()))
        });
        Ok(modified.await?.is_none_or(|now| now > known.modified))
    }

    /// Prevents the session from becoming live. If the session is live and `ends` is `true`, this closes the session.
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

    /// Returns the sessions in the store that have this ID. Such a session has a transcript, or it has only a log of
    /// prompts.
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

    /// Deletes a session in the store. If `modified` is set, only deletes a session that was not written to after this
    /// time. Returns whether the session was deleted.
    async fn delete_stored(
        &self,
        store: &HubStore,
        session: &SessionRef,
        modified: Option<i64>,
    ) -> Result<bool, HubError> {
        let owner = self.owner().cloned();
        let owner = owner.unwrap_or_else(|| Owner::new("a deletion by claw serve"));
        let stored = store.stored();
        let deleted = match modified {
            Some(modified) => stored.delete_unchanged(session, &owner, modified).await,
            None => stored.delete(session, &owner).await.map(|()| true),
        };
        deleted.map_err(|error| match error {
            StoredError::Store(StoreError::Held { owner, .. }) => {
                HubError::Elsewhere(Box::new(owner))
            }
            error => error.into(),
        })
    }

    /// Returns the name of the project of a session that has a transcript or unanswered prompts on this host. Fails if
    /// a running `claude` that this server did not start uses the session. Blocks.
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
        let project = folder.and_then(|folder| match &session {
            Some(session) => self.project_at(session.config_dir(), folder),
            None => self.project_in(folder),
        });
        // If another program, such as a terminal, has started a `claude` in this session, that `claude` would continue to write
        // to the transcript. So the session is not deleted.
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

    /// Deletes all files of a session on this host. Blocks.
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
            // The ID was checked before. It contains no path separators, so the path leads to one folder of
            // `file-history`.
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
