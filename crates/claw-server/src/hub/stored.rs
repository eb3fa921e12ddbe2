//! Lists, reads, changes and forks the sessions in the store of a hub. Also stores the lines that only this host's disk
//! has.

use std::env::temp_dir;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_client::store::{
    Brought, Changes, Checkout, Epoch, SessionIndex, SessionRef, StoredError, StoredSessions,
    Unstored, bring, recover,
};
use claw_sessions::on_pool;
use claw_types::SessionId;
use tokio::time::{sleep, timeout};

use super::clock::now;
use super::found::{Found, add_unanswered};
use super::kept::KeptNotices;
use super::key::reference;
use super::store::{HubStore, Listed};
use super::{Hub, HubError, Inner, LiveSession, history};
use crate::Project;
use crate::conversation::Phase;

/// Maximum wait for a list from the store. After that, the previous list is shown.
const PATIENCE: Duration = Duration::from_secs(3);

/// The time for which programs that watch the server get the same list of the store's sessions. They ask again and again,
/// and a read of the list can be expensive.
const LATELY: Duration = Duration::from_mins(5);

/// Maximum wait of a program that watches the server for a list from the store.
const SHORTLY: Duration = Duration::from_secs(1);

/// Maximum wait for the end of the process of a closed session. Before the process ends, its last lines are stored.
const ENDS: Duration = Duration::from_secs(25);

/// A session of the store whose deferred request waits for an answer.
#[derive(Debug)]
pub(crate) struct WaitingDeferred {
    pub(crate) id: SessionId,
    /// The name of the project.
    pub(crate) project: String,
    /// The time at which the session's transcript was last written, in milliseconds since 1970. The mark of the deferred
    /// request is its last line.
    pub(crate) since: i64,
    /// Whether the session is live on this host, where its request waits without a process.
    pub(crate) is_live: bool,
}

impl WaitingDeferred {
    /// Returns how long the request has waited.
    pub(crate) fn age(&self) -> Duration {
        let millis = now().saturating_sub(self.since);
        Duration::from_millis(u64::try_from(millis).unwrap_or_default())
    }
}

impl Hub {
    /// Returns the sessions of the store that belong to a project of this server. Returns no sessions if there is no
    /// store. If the store is slow or unreachable, returns an older list after at most [`PATIENCE`].
    pub(crate) async fn stored(&self) -> Listed {
        self.stored_and_whole().await.0
    }

    /// Returns the sessions in the store as [`stored`](Self::stored) does, and whether the list is complete.
    pub(crate) async fn stored_and_whole(&self) -> (Listed, bool) {
        self.stored_within(PATIENCE).await
    }

    /// Returns the sessions in the store, and whether the list is complete. Waits at most `patience` for the list. After
    /// that, returns an older list.
    pub(super) async fn stored_within(&self, patience: Duration) -> (Listed, bool) {
        let Some(store) = &self.inner.store else {
            return (Listed::default(), true);
        };
        let mut is_late = false;
        if let Some(reading) = store.reading(self.projects()) {
            is_late = timeout(patience, reading).await.is_err();
        }
        let (last, is_whole) = store.last();
        (last, is_whole && !is_late)
    }

    /// Returns the sessions in the store as [`stored`](Self::stored) does, for programs that watch the server. The list may
    /// be [`LATELY`] old. If the store is slow or unreachable, returns an older list after at most [`SHORTLY`].
    pub(crate) async fn stored_lately(&self) -> Listed {
        let Some(store) = &self.inner.store else {
            return Listed::default();
        };
        if !store.is_younger(LATELY)
            && let Some(reading) = store.reading(self.projects())
        {
            // After a timeout, the read continues in the background, and a later call returns its list.
            let _ = timeout(SHORTLY, reading).await;
        }
        store.last().0
    }

    /// Returns the sessions of the store whose deferred request waits for an answer, as this list of the store's sessions
    /// shows them. Leaves out sessions that are live on this host and have continued.
    pub(crate) fn deferred_in(&self, stored: &Listed) -> Vec<WaitingDeferred> {
        let deferred = stored
            .iter()
            .filter(|(_, (_, it))| it.is_deferred && it.info.is_some());
        let all = deferred.filter_map(|(id, (project, session))| {
            let live = self.live_of(id);
            let phase = live.as_ref().map(|live| live.times().phase);
            phase
                .is_none_or(|phase| phase == Phase::Deferred)
                .then(|| WaitingDeferred {
                    id: id.clone(),
                    project: project.clone(),
                    since: session.modified,
                    is_live: live.is_some(),
                })
        });
        all.collect()
    }

    /// Makes the next call of [`stored`](Self::stored) read the list again.
    pub(crate) fn forget_stored(&self) {
        if let Some(store) = &self.inner.store {
            store.forget();
        }
    }

    /// Returns the sessions of the store. Returns `None` without a store.
    pub(crate) fn stored_sessions(&self) -> Option<&StoredSessions> {
        self.inner.store.as_ref().map(HubStore::stored)
    }

    /// Returns the index of the store's sessions. Returns `None` without a store.
    pub(crate) fn store_index(&self) -> Option<&SessionIndex> {
        self.inner.store.as_ref().map(HubStore::index)
    }

    /// Reads a session from the store, with the prompts that an earlier server has not answered. Returns `None` if
    /// there is no store, or if the store does not have the session.
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
            let home = hub.home_of(hub.project(&name)?, id.as_str())?;
            let mut conversation = hub.new_conversation(&id);
            let session = checkout.session();
            history::read(session, &mut conversation, &mut kept)?;
            hub.add_cost(session, &mut conversation)?;
            let title = session.info()?.map(|info| info.summary);
            let cut = hub.inner.marks.cut(&id).map_err(HubError::Unkept)?;
            add_unanswered(&mut conversation, title, cut);
            Ok::<_, HubError>(Found {
                project: name,
                home,
                conversation,
                is_kept: true,
                unsaid: None,
                worktree: None,
                kept: kept.count,
            })
        });
        found.await.map(Some)
    }

    /// Copies a session from the store into a temporary folder. Returns `None` if there is no store, or if the store
    /// does not have the session.
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
            match store.stored().checkout(&session, &temp_dir()).await {
                Ok(checkout) => return Ok(Some((project, checkout))),
                // The ID is not a valid session ID, so no session has it.
                Err(StoredError::Sessions(claw_sessions::Error::InvalidId { .. })) => break,
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Changes a session in the store. Returns `false` if there is no store, or if the store does not have the session.
    pub(crate) async fn change_stored(
        &self,
        id: &SessionId,
        changes: &Changes,
    ) -> Result<bool, HubError> {
        let Some((store, session)) = self.found_stored(id).await? else {
            return Ok(false);
        };
        let is_archived = self.is_shelved(id).await;
        let done = store.stored().change(&session, changes).await;
        store.forget();
        if is_archived {
            // A change of the title or tag does not continue the conversation, so the session stays archived.
            self.shelve(id, true).await?;
        }
        done.map(|()| true).map_err(|error| match error {
            StoredError::Sessions(
                claw_sessions::Error::EmptyTitle | claw_sessions::Error::EmptyTag,
            ) => HubError::BadRequest(error.to_string()),
            error => error.into(),
        })
    }

    /// Whether a session that is only in the store is archived.
    async fn is_shelved(&self, id: &SessionId) -> bool {
        let stored = self.stored().await;
        let session = stored.get(id);
        session.is_some_and(|(_, session)| self.has_shelved(id, session.modified))
    }

    /// Whether a session that is only in the store is archived. `modified` is the time at which it was last written.
    pub(crate) fn has_shelved(&self, id: &SessionId, modified: i64) -> bool {
        let store = self.inner.store.as_ref();
        store.is_some_and(|store| store.shelf.has(id, modified))
    }

    /// Archives a session that is only in the store, or removes it from the archive. Returns `false` if there is no
    /// store, or if the store does not have the session.
    pub(crate) async fn shelve(&self, id: &SessionId, archived: bool) -> Result<bool, HubError> {
        let Some((store, _)) = self.found_stored(id).await? else {
            return Ok(false);
        };
        // The time comes from the store, because the clock of this host may differ. The list is read again, because the
        // cached list may have an older time.
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

    /// Forks a session in the store. Returns `None` if there is no store, or if the store does not have the session.
    pub(crate) async fn fork_stored(
        &self,
        id: &SessionId,
        up_to: Option<&str>,
        title: Option<String>,
    ) -> Result<Option<SessionId>, HubError> {
        let Some((store, session)) = self.found_stored(id).await? else {
            return Ok(None);
        };
        let mut fork = store.stored().fork(&session);
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

    /// Returns the project of a session in the store. Returns `None` if there is no store, or if the store does not have the
    /// session.
    pub(crate) async fn stored_project(
        &self,
        id: &SessionId,
    ) -> Result<Option<&Project>, HubError> {
        let Some((_, session)) = self.found_stored(id).await? else {
            return Ok(None);
        };
        let is_of = |it: &&Project| reference(it, id).is_ok_and(|own| own == session);
        Ok(self.projects().iter().find(is_of))
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
            if store.stored().has(&session).await? {
                return Ok(Some((store, session)));
            }
        }
        Ok(None)
    }

    /// Copies the entries of a session that are only on this host's disk into the store. If the hosts of the store claim
    /// sessions, the caller must have claimed the session.
    pub(super) async fn bring(
        &self,
        session: &SessionRef,
        epoch: Option<Epoch>,
    ) -> Result<Brought, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(Brought::default());
        };
        let (hub, of) = (self.clone(), session.clone());
        let home = on_pool::run(move || {
            let mut projects = hub.projects().iter();
            let project = projects.find(|project| project.stored_name() == of.project());
            hub.home_of(project.ok_or(HubError::NoProject)?, of.session())
        });
        let home = home.await?;
        Ok(bring(store.options(), &home, session, epoch).await?)
    }

    /// Fails if a session was deleted in the store. The disk of this host may still have such a session.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Deleted`] if the session was deleted, and with [`HubError::Stored`] if the store fails.
    pub(super) async fn check_tombstone(&self, id: &SessionId) -> Result<(), HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(());
        };
        for project in self.projects() {
            if let Ok(session) = reference(project, id)
                && store.stored().is_deleted(&session).await?
            {
                return Err(HubError::Deleted);
            }
        }
        Ok(())
    }

    /// Waits for the end of the process of a closed session. After that, the last lines of the process are in the store
    /// or on this disk. Returns `false` if the process has not ended within [`ENDS`].
    pub(super) async fn last_process(&self, id: &SessionId) -> bool {
        let ended = {
            let ending = self.inner.ending.lock();
            let ending = ending.unwrap_or_else(std::sync::PoisonError::into_inner);
            ending.get(id).cloned()
        };
        match ended {
            Some(ended) => timeout(ENDS, ended).await.is_ok(),
            None => true,
        }
    }

    /// Shows viewers the notices about new kept entries of a live session (see `kept.rs`). A task reads the kept
    /// entries from the store. Kept entries are rare, so at least the duration of a claim passes between two reads.
    pub(super) fn update_kept(&self, live: &LiveSession) {
        let Some(store) = &self.inner.store else {
            return;
        };
        let Ok(project) = self.project(live.project()) else {
            return;
        };
        let Ok(session) = reference(project, &live.id()) else {
            return;
        };
        let shared = live.shared.clone();
        if !shared.kept().is_due(store.patience) {
            return;
        }
        let stored = store.stored().clone();
        tokio::spawn(async move {
            match stored.kept(&session).await {
                Ok(kept) => {
                    let notices = shared.kept().take_new(&kept);
                    shared.with(|conversation| {
                        for text in notices {
                            conversation.notice(&text);
                        }
                    });
                }
                Err(error) => {
                    let id = session.session();
                    tracing::debug!(session.id = id, %error, "what was kept of a session is not known");
                }
            }
        });
    }

    /// Returns the number of kept entries: entries that this host has stored beside conversations, because another host
    /// had already continued the session. Returns `None` without a store.
    pub(crate) fn kept_entries(&self) -> Option<u64> {
        Some(self.inner.store.as_ref()?.options().kept_entries())
    }

    /// Returns the amount of data of this host's sessions that is not in the store yet. Returns `None` without a store.
    pub(crate) fn unstored(&self) -> Option<Unstored> {
        Some(self.inner.store.as_ref()?.options().unstored())
    }

    /// Returns the notices about the kept entries of a session (see `kept.rs`).
    pub(super) async fn kept_notices(&self, session: &SessionRef) -> Result<KeptNotices, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(KeptNotices::default());
        };
        let kept = store.stored().kept(session).await?;
        Ok(KeptNotices::of(&kept))
    }
}

/// Starts a task that stores the lines that earlier processes of this host could not store.
pub(super) fn watch(hub: &Arc<Inner>) {
    let Some(store) = &hub.store else { return };
    let (options, pause) = (store.options().clone(), store.patience);
    let hub = Arc::downgrade(hub);
    tokio::spawn(async move {
        loop {
            recover(&options).await;
            sleep(pause).await;
            let is_ending = |hub: Arc<Inner>| hub.is_ending.load(Ordering::Relaxed);
            if hub.upgrade().is_none_or(is_ending) {
                return;
            }
        }
    });
}
