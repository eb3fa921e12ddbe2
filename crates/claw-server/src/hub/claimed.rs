//! Claims sessions for a hub, finds the hosts that have claimed other sessions, and closes sessions whose claims are
//! lost.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_client::store::{Owner, SessionRef, StoreError, StoredError};
use claw_sessions::on_pool;
use claw_types::SessionId;
use tokio::time::timeout;

#[cfg(feature = "cluster")]
use super::claims::Place;
use super::claims::{ClaimCounts, HubClaims, Taken};
use super::key::reference;
use super::prompt_log::{self, PromptLog};
use super::prompts::Refusal;
use super::shared::Shared;
use super::{Hub, HubError, Inner};
use crate::Project;

/// Maximum time for the release of the claims when the server ends. Claims that are not released expire.
const RELEASE: Duration = Duration::from_secs(3);

/// Maximum time that a readiness check waits for the store's response.
const READY: Duration = Duration::from_secs(2);

/// Returns the reason why a session whose claim is lost accepts no prompts.
fn refusal(why: &StoreError) -> Refusal {
    if why.is_superseded() {
        Refusal::Superseded
    } else {
        Refusal::GivenUp
    }
}

impl Hub {
    fn claims(&self) -> Option<&Arc<HubClaims>> {
        self.inner.store.as_ref()?.claims()
    }

    /// Returns the identity under which this host claims sessions. Returns `None` if this host claims no sessions.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        Some(self.claims()?.leases.owner())
    }

    /// Returns the duration of a claim. Returns `None` if this host claims no sessions.
    #[cfg(feature = "cluster")]
    pub(crate) fn ttl(&self) -> Option<Duration> {
        Some(self.claims()?.leases.ttl())
    }

    pub(crate) fn claim_counts(&self) -> Option<ClaimCounts> {
        let claims = self.claims()?;
        Some(ClaimCounts {
            held: claims.leases.held() as u64,
            won: claims.won.load(Ordering::Relaxed),
            inherited: claims.inherited.load(Ordering::Relaxed),
            lost: claims.lost.load(Ordering::Relaxed),
            refused: claims.refused.load(Ordering::Relaxed),
        })
    }

    /// Checks whether the hub accepts requests. Fails if the hub is ending. With several hosts, this also fails if the
    /// store does not respond.
    pub(crate) async fn ready(&self) -> Result<(), HubError> {
        if self.is_ending() {
            return Err(HubError::Busy("the server ends"));
        }
        let (Some(claims), Ok(session)) = (self.claims(), SessionRef::new("claw", "ready")) else {
            return Ok(());
        };
        match timeout(READY, claims.leases.other_holder(&session)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                // Anyone can call this route without a token, so the response does not contain the error.
                tracing::debug!(%error, "the store does not answer whether the server is ready");
                Err(HubError::Busy("the store is away"))
            }
            Err(_) => Err(HubError::Busy("the store does not answer")),
        }
    }

    /// Returns whether the other host `owner` has claimed the session. Hosts are compared by their IDs. Returns `false` if this
    /// host or no host has claimed it.
    #[cfg(feature = "cluster")]
    pub(crate) async fn has_other(
        &self,
        session: &SessionRef,
        owner: &Owner,
    ) -> Result<bool, StoreError> {
        let Some(claims) = self.claims() else {
            return Ok(false);
        };
        let holder = claims.leases.other_holder(session).await?;
        Ok(holder.is_some_and(|holder| holder.id == owner.id))
    }

    /// Returns the host that has claimed a session. If `opens` is `true` and no host has claimed the session, the
    /// session becomes live on this host.
    #[cfg(feature = "cluster")]
    pub(crate) async fn place(&self, id: &str, opens: bool) -> Result<Place, HubError> {
        let Some(claims) = self.claims() else {
            return Ok(Place::Here);
        };
        let asked = SessionId::from(id);
        if self.of(&asked).is_some() {
            return Ok(Place::Here);
        }
        let (moves, of) = (self.inner.moves.clone(), asked.clone());
        let newest = on_pool::run(move || moves.newest(&of)).await;
        if self.of(&newest).is_some() {
            return Ok(Place::Here);
        }
        let elsewhere = self.patiently(|| self.elsewhere(claims, &asked)).await?;
        if let Some(elsewhere) = elsewhere {
            return Ok(elsewhere);
        }
        if opens && let Err(HubError::Elsewhere(_)) = self.open(id).await {
            // Another host has claimed the session meanwhile, so that host is returned.
            let elsewhere = self.elsewhere(claims, &asked).await?;
            return Ok(elsewhere.unwrap_or(Place::Here));
        }
        Ok(Place::Here)
    }

    /// Returns the other host that has claimed a session, if there is one.
    #[cfg(feature = "cluster")]
    async fn elsewhere(
        &self,
        claims: &HubClaims,
        id: &SessionId,
    ) -> Result<Option<Place>, HubError> {
        for project in self.projects() {
            let Ok(session) = reference(project, id) else {
                continue;
            };
            let holder = claims.leases.other_holder(&session).await;
            if let Some(owner) = holder.map_err(StoredError::from)? {
                return Ok(Some(Place::Elsewhere(session, owner)));
            }
        }
        Ok(None)
    }

    /// Returns the names of the projects in which another host has claimed a session. A session that has just begun has
    /// a claim in the store before it has a transcript.
    #[cfg(feature = "cluster")]
    pub(super) async fn claimed_in(&self, id: &SessionId) -> Result<Vec<String>, HubError> {
        let Some(claims) = self.claims() else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for project in self.projects() {
            let Ok(session) = reference(project, id) else {
                continue;
            };
            let holder = claims.leases.other_holder(&session).await;
            if holder.map_err(StoredError::from)?.is_some() {
                names.push(project.name.clone());
            }
        }
        Ok(names)
    }

    /// Claims a session before it becomes live. Returns `None` if the session does not exist, or if this host claims no
    /// sessions.
    pub(super) async fn take(&self, id: &SessionId) -> Result<Option<Taken>, HubError> {
        if self.claims().is_none() {
            return Ok(None);
        }
        match self.claimed_project(id).await? {
            Some(project) => self.take_in(project, id).await,
            None => Ok(None),
        }
    }

    /// Claims a session of this project. Returns `None` if this host claims no sessions.
    pub(super) async fn take_in(
        &self,
        project: &Project,
        id: &SessionId,
    ) -> Result<Option<Taken>, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(None);
        };
        let Some(claims) = store.claims() else {
            return Ok(None);
        };
        let Ok(session) = reference(project, id) else {
            return Ok(None);
        };
        if self.inner.is_ending.load(Ordering::Relaxed) {
            return Err(HubError::Busy("the server ends"));
        }
        self.last_process(id).await;
        let lease = claims.claim(&session).await?;
        // Stores the lines that only this host's disk has. The callers read the session from the store afterwards. So
        // viewers see the same lines that claude will continue.
        self.bring(&session, Some(lease.epoch())).await?;
        let left = prompt_log::read(&**store.store(), &session).await;
        let mut left = left.map_err(StoredError::from)?;
        // A host that releases a claim also removes the claim's log of prompts, unless this log still contains unanswered
        // prompts. So a log that is found here means that a claim was lost, or that prompts are unanswered.
        if !left.logs.is_empty() {
            claims.inherited.fetch_add(1, Ordering::Relaxed);
        }
        let deferred = store.stored().deferred(&session).await?;
        let log = PromptLog::new(store.store().clone(), lease, claims.ends.clone());
        let log = log.map_err(StoredError::from)?;
        let ended = log.end_earlier().await;
        left.prompts.retain(|cut| {
            let uuid = cut.prompt.uuid.as_ref();
            !uuid.is_some_and(|uuid| ended.contains(uuid))
        });
        Ok(Some(Taken {
            project: project.name.clone(),
            log: Arc::new(log),
            left,
            deferred,
        }))
    }

    /// Returns the project of a session. Searches the store for a transcript or a log of prompts, and then this host's disk
    /// for a transcript. Returns `None` if neither has the session, or if there is no store.
    async fn claimed_project(&self, id: &SessionId) -> Result<Option<&Project>, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(None);
        };
        for project in self.projects() {
            if store.of(project).has(id).await? {
                return Ok(Some(project));
            }
            let Ok(session) = reference(project, id) else {
                continue;
            };
            // A prompt may have been accepted although the session has no transcript yet. Then the store has a log of
            // prompts.
            let logs = prompt_log::logs_of(&**store.store(), &session).await;
            if !logs.map_err(StoredError::from)?.is_empty() {
                return Ok(Some(project));
            }
        }
        let (hub, of) = (self.clone(), id.clone());
        let folder = on_pool::run(move || {
            let session = hub.find(of.as_str()).ok()?;
            let folder = session.info().ok()??.cwd?;
            Some((session, PathBuf::from(folder)))
        });
        let found = folder.await;
        Ok(found.and_then(|(session, folder)| self.project_at(session.config_dir(), &folder)))
    }

    /// Waits until the claims are released, for at most [`RELEASE`].
    pub(super) async fn released(&self) {
        if let Some(claims) = self.claims() {
            claims.leases.released(RELEASE).await;
        }
    }
}

impl Inner {
    /// Starts a task that closes a session on this host when its claim is lost. Another host may then have claimed the
    /// session.
    pub(super) fn close_when_lost(self: &Arc<Self>, shared: &Arc<Shared>, log: &PromptLog) {
        let Some(lease) = log.lease() else { return };
        let (hub, shared) = (Arc::downgrade(self), Arc::downgrade(shared));
        let lost = lease.lost();
        tokio::spawn(async move {
            let Some(why) = lost.await else { return };
            let (Some(hub), Some(shared)) = (hub.upgrade(), shared.upgrade()) else {
                return;
            };
            let id = shared.id();
            tracing::warn!(session.id = id.as_str(), %why, "the claim of a session is lost");
            if let Some(claims) = hub.store.as_ref().and_then(|store| store.claims()) {
                claims.lost.fetch_add(1, Ordering::Relaxed);
            }
            let mut all = hub.lock();
            let live = all.get(&id).filter(|live| live.is_of(&shared)).cloned();
            if live.is_some() {
                all.remove(&id);
            }
            drop(all);
            match live {
                Some(live) => {
                    live.refuse(refusal(&why));
                    hub.end_process(&live);
                    live.close();
                }
                None => shared.close(),
            }
        });
    }

    /// Claims the new ID under which a session continues, and replaces the session's log of prompts.
    pub(super) async fn take_moved(self: &Arc<Self>, shared: &Arc<Shared>, to: &SessionId) {
        let Some(store) = &self.store else { return };
        let Some(claims) = store.claims() else { return };
        let project = self.projects.iter().find(|it| it.name == shared.project);
        let Some(Ok(session)) = project.map(|project| reference(project, to)) else {
            return;
        };
        let log = match claims.claim(&session).await {
            Ok(lease) => PromptLog::new(store.store().clone(), lease, claims.ends.clone()),
            Err(error) => {
                let id = to.as_str();
                tracing::warn!(session.id = id, %error, "the session cannot be claimed under its new ID");
                return;
            }
        };
        if let Ok(log) = log {
            self.close_when_lost(shared, &log);
            shared.prompts.move_log(Arc::new(log));
        }
    }
}
