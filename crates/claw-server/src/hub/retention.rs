//! Retention: deletes sessions that were not used for a long time.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_client::store::{
    Import, Lease, SessionRef, SessionStore, StoreError, StoredError, WriterId, copy_session,
};
use claw_sessions::{Cursor, PageQuery, on_pool};
use claw_types::SessionId;
use tokio::time::{Instant, sleep};

use super::delete::KnownSession;
use super::key::reference;
use super::store::HubStore;
use super::{Hub, HubError, Inner, Listed, clock, prompt_log};
use crate::Project;

/// Maximum number of sessions that one round deletes.
const MOST: usize = 100;
/// Maximum number of old sessions that one round checks.
const SCANNED: usize = 1000;

/// Maximum time for which one round waits for the complete list of the store.
const LISTING: Duration = Duration::from_mins(30);

/// The pause after a round that has checked all old sessions.
const PAUSE: Duration = Duration::from_hours(1);
/// The pause before the first round, after a failed round, and if more old sessions may remain.
const SHORT_PAUSE: Duration = Duration::from_mins(1);

/// The result of one round, in which old sessions are deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetentionRound {
    /// The number of sessions that were deleted.
    pub deleted: usize,
    /// The number of old sessions that were not deleted because they are in use, or because of an error. The errors are
    /// in the log.
    pub kept: usize,
    /// Whether another round should follow soon, because there may be more old sessions, or because another host makes
    /// a round.
    pub has_more: bool,
}

/// An old session.
struct Old {
    id: SessionId,
    /// The session in the store. `None` if the session is only on this host's disk.
    stored: Option<SessionRef>,
    /// The name of the project.
    project: String,
    /// The time at which the session was changed last, in milliseconds since 1970.
    modified: i64,
}

/// Starts a task that makes rounds of retention. The task ends when the hub is dropped.
pub(super) fn watch(hub: &Arc<Inner>) {
    if hub.limits.keep.is_none() && hub.store.is_none() {
        return;
    }
    let hub = Arc::downgrade(hub);
    tokio::spawn(async move {
        let mut pause = SHORT_PAUSE;
        loop {
            sleep(pause).await;
            let Some(inner) = alive(&hub) else { return };
            let round = Hub { inner }.delete_old().await;
            pause = match round {
                Ok(round) if round.has_more => SHORT_PAUSE,
                Ok(_) => PAUSE,
                Err(error) => {
                    tracing::warn!(%error, "old sessions are not deleted now");
                    SHORT_PAUSE
                }
            };
        }
    });
}

fn alive(hub: &Weak<Inner>) -> Option<Arc<Inner>> {
    hub.upgrade()
        .filter(|hub| !hub.is_ending.load(Ordering::Relaxed))
}

impl Hub {
    /// Makes one round of retention. The round deletes up to 100 sessions that were not changed for the time
    /// [`Limits::keep`], as [`delete`](Self::delete) does. If [`Limits::archive`] is set, each session is first copied
    /// into that store. A session stays if it is live on any host, if another program has claimed it, or if it waits
    /// for a person, and if it was changed after the round has listed it. The server makes these rounds itself, at least
    /// one an hour. If there are several hosts, only one makes a round at a time. Without [`Limits::keep`], the call deletes
    /// no session.
    ///
    /// With a store, each call also removes the texts of sessions that the store no longer has from this host's index of
    /// the store. Other hosts may have deleted these sessions. The call waits up to 30 minutes for the complete list of
    /// the store, but not longer than until the server begins to end.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if a limit is set and the store cannot be listed, and with the errors of the index and
    /// of the store. An error about one session is only logged.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the sessions that the round has not reached stay until another round.
    ///
    /// [`Limits::keep`]: super::Limits::keep
    /// [`Limits::archive`]: super::Limits::archive
    pub async fn delete_old(&self) -> Result<RetentionRound, HubError> {
        let until = Instant::now() + LISTING;
        self.prune_index(until).await;
        let mut round = RetentionRound::default();
        let Some(keep) = self.inner.limits.keep else {
            return Ok(round);
        };
        let turn = match self.claim_round().await {
            Ok(turn) => turn,
            Err(HubError::Elsewhere(_)) => {
                round.has_more = true;
                return Ok(round);
            }
            Err(error) => return Err(error),
        };
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let before = clock::now().saturating_sub(keep);
        let (stored, is_whole) = self.stored_until(until).await;
        if !is_whole && self.is_ending() {
            round.has_more = true;
            return Ok(round);
        }
        if !is_whole {
            // A session on this disk may be old while it is newer in the store, because another host may have continued
            // it. So nothing is deleted without the complete list of the store.
            return Err(HubError::Busy("the store cannot be listed"));
        }
        let (hub, of) = (self.clone(), stored.clone());
        let all = on_pool::run(move || hub.old_sessions(&of, before)).await?;
        for (scanned, old) in all.iter().enumerate() {
            if scanned == SCANNED || round.deleted == MOST || self.is_ending() {
                round.has_more = true;
                break;
            }
            match self.delete_one(old).await {
                Ok(true) => round.deleted += 1,
                Ok(false) => round.kept += 1,
                Err(error) if error.is_store_away() => return Err(error),
                Err(error) => {
                    round.kept += 1;
                    tracing::warn!(session = old.id.as_str(), %error, "an old session is not deleted");
                }
            }
        }
        drop(turn);
        if round.deleted > 0 {
            let RetentionRound { deleted, kept, .. } = round;
            tracing::info!(deleted, kept, "old sessions are deleted");
        }
        Ok(round)
    }

    /// Returns the sessions in the store, and whether the list is complete. Waits for the list until the time `until`, or
    /// until the server begins to end. After that, returns an older list.
    async fn stored_until(&self, until: Instant) -> (Listed, bool) {
        let patience = until.saturating_duration_since(Instant::now());
        tokio::select! {
            listed = self.stored_within(patience) => listed,
            () = self.ending() => (Listed::default(), false),
        }
    }

    /// Removes the entries of sessions that the store no longer has from the index on this host. Removes nothing if the
    /// store's list is incomplete. An error is only logged.
    async fn prune_index(&self, until: Instant) {
        let Some(index) = self.store_index() else {
            return;
        };
        self.forget_stored();
        let (listed, is_whole) = self.stored_until(until).await;
        if !is_whole {
            return;
        }
        let names: HashSet<_> = self.projects().iter().map(Project::stored_name).collect();
        for name in names {
            let sessions = listed.values().map(|(_, listed)| &listed.session);
            let sessions = sessions.filter(|session| session.project() == name);
            if let Err(error) = index.retain(Some(&name), sessions.cloned().collect()).await {
                tracing::warn!(%error, "the index has entries of deleted sessions");
            }
        }
    }

    /// Claims the right to make a round of deletions, if this host is one of several. Only one host makes a round at a
    /// time.
    async fn claim_round(&self) -> Result<Option<Lease>, HubError> {
        let claims = self.inner.store.as_ref().and_then(HubStore::claims);
        let (Some(claims), Ok(round)) = (claims, SessionRef::new("claw", "retention")) else {
            return Ok(None);
        };
        match claims.leases.claim(&round).await {
            Ok(lease) => Ok(Some(lease)),
            Err(StoreError::Held { owner, .. }) => Err(HubError::Elsewhere(Box::new(owner))),
            Err(error) => Err(StoredError::from(error).into()),
        }
    }

    /// Returns the sessions whose last change was before `before`, in milliseconds since 1970. Blocks.
    fn old_sessions(&self, stored: &Listed, before: i64) -> Result<Vec<Old>, HubError> {
        let in_store = stored
            .iter()
            .filter(|(_, (_, session))| session.modified < before);
        let mut all: Vec<_> = in_store
            .map(|(id, (project, session))| Old {
                id: id.clone(),
                stored: Some(session.session.clone()),
                project: project.clone(),
                modified: session.modified,
            })
            .collect();
        let index = self.index()?;
        for archived in [false, true] {
            // The list begins with the newest sessions. The cursor skips those that were changed after the time
            // `before`. The cursor's ID is empty, so the cursor excludes no session by its ID.
            let mut after = Cursor::new(before, SessionId::from(""));
            loop {
                let query = PageQuery::new()
                    .archived(archived)
                    .limit(SCANNED)
                    .after(after);
                let page = index.page(&query);
                let alone = page.sessions.iter().filter(|known| {
                    // Sessions that are also in the store are skipped here. Another host may have continued them, so their
                    // times in the store decide.
                    !stored.contains_key(&known.info.session_id)
                });
                all.extend(alone.filter_map(|known| {
                    Some(Old {
                        id: known.info.session_id.clone(),
                        stored: None,
                        project: known.project.clone()?,
                        modified: known.info.last_modified.as_i64()?,
                    })
                }));
                match page.next {
                    Some(next) => after = next,
                    None => break,
                }
            }
        }
        all.sort_by_key(|old| old.modified);
        Ok(all)
    }

    /// Archives and deletes a session. Returns `false` if it is in use.
    async fn delete_one(&self, old: &Old) -> Result<bool, HubError> {
        let project = self.project(&old.project)?;
        let Ok(session) = reference(project, &old.id) else {
            return Ok(false);
        };
        if self.live_of(&old.id).is_some()
            || self.is_cut(&old.id)
            || self.is_waiting(&session).await?
        {
            return Ok(false);
        }
        if let Some(archive) = &self.inner.limits.archive {
            self.archive(old, &session, &**archive).await?;
        }
        // The round has listed the session, and may have copied it for a while. So the deletion compares the time of the last
        // change again.
        let known = KnownSession {
            is_stored: old.stored.is_some(),
            modified: old.modified,
        };
        match self.delete_unchanged(old.id.clone(), known).await {
            Ok(true) => {
                let counts = &self.activity().counts;
                counts.change(|totals| totals.expired += 1);
                Ok(true)
            }
            Ok(false) | Err(HubError::Live | HubError::Elsewhere(_) | HubError::NoSession) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the session must not be deleted. This is the case if another host has claimed it, or if the store contains a
    /// log of its prompts or permission requests that wait without a process.
    pub(super) async fn is_waiting(&self, session: &SessionRef) -> Result<bool, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(false);
        };
        if let Some(claims) = store.claims() {
            let other = claims.leases.other_holder(session).await;
            if other.map_err(StoredError::from)?.is_some() {
                return Ok(true);
            }
        }
        let logs = prompt_log::logs_of(&**store.store(), session).await;
        if !logs.map_err(StoredError::from)?.is_empty() {
            return Ok(true);
        }
        Ok(!store.stored().deferred(session).await?.is_empty())
    }

    /// Copies a session into the archive. Copying it again adds nothing.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Unarchived`] if the session cannot be copied.
    async fn archive(
        &self,
        old: &Old,
        session: &SessionRef,
        archive: &dyn SessionStore,
    ) -> Result<(), HubError> {
        let failed = |error: StoredError| HubError::Unarchived(io::Error::other(error));
        if let (Some(stored), Some(store)) = (&old.stored, &self.inner.store) {
            let writer = WriterId::new("archive");
            let copied = copy_session(&**store.store(), archive, stored, &writer).await;
            return copied.map(drop).map_err(|error| failed(error.into()));
        }
        let (hub, id) = (self.clone(), old.id.clone());
        let found = on_pool::run(move || hub.find_if_any(id.as_str())).await?;
        let found = found.ok_or(HubError::NoSession)?;
        let import = Import::new(&found).to(session.clone());
        let imported = import.run(archive).await.map_err(failed)?;
        if let Some(problem) = imported.problems.first() {
            let text = format!("a part of it cannot be copied: {problem}");
            return Err(HubError::Unarchived(io::Error::other(text)));
        }
        Ok(())
    }
}
