//! The pool's record of a session. The record outlives the session's processes.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use claw_types::control::ControlRequestBody;
use claw_types::options::PermissionMode;
use claw_types::{QueryOptions, SessionId};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::Pool;
use super::permit::{Permit, acquire};
use super::scheduler::{MemberId, Use};
use super::spares::{SpareCandidate, make};
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::session::builder::SessionBuilder;
use crate::session::builder::warm::SpareProcess;

/// Maximum number of control requests that the pool repeats in each new process of a session: see
/// [`PooledSession::change`].
const MOST_CHANGES: usize = 256;

pub(super) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// The source from which a new process of a pool resumes a session's conversation. Set by
/// [`PooledSessionBuilder::source`](super::PooledSessionBuilder::source).
pub trait ResumeSource: Send + Sync {
    /// Returns the options with which a new process resumes this session. The pool calls this method before each start
    /// of a process for the session, except the first.
    fn resume(
        &self,
        session: &SessionId,
        options: QueryOptions,
    ) -> BoxFuture<'_, Result<QueryOptions, Error>>;
}

/// Resumes a session from its transcript on this machine.
pub(super) struct LocalDisk;

impl ResumeSource for LocalDisk {
    fn resume(
        &self,
        session: &SessionId,
        mut options: QueryOptions,
    ) -> BoxFuture<'_, Result<QueryOptions, Error>> {
        options.resume = Some(session.clone());
        std::future::ready(Ok(options)).boxed()
    }
}

/// A session of the pool. At any time, it has one process or none.
pub(super) struct Member {
    pub(super) pool: Pool,
    pub(super) number: MemberId,
    pub(super) tenant: Mutex<String>,
    /// The session's ID. Set when the application reads it, or when a process is started with it.
    pub(super) id: OnceLock<SessionId>,
    /// Whether the conversation already existed when the session joined the pool.
    pub(super) was_kept: bool,
    pub(super) options: QueryOptions,
    pub(super) build: Build,
    pub(super) source: Arc<dyn ResumeSource>,
    pub(super) kept: Mutex<Kept>,
}

/// The state that the session's next process must get.
pub(super) struct Kept {
    /// Whether a prompt was sent, so that a conversation exists that can be resumed.
    pub(super) has_begun: bool,
    /// The permission mode that the last process had at its end.
    pub(super) mode: Option<PermissionMode>,
    /// The number of times that the application has set the permission mode.
    pub(super) mode_changes: u64,
    /// The control requests that each new process of the session gets, in the order in which the application made them:
    /// see [`PooledSession::change`].
    pub(super) changes: Vec<ControlRequestBody>,
    pub(super) has_checked_spares: bool,
    /// The settings with which the session takes over a spare as its first process. `None` if no spare fits.
    pub(super) fitting: Option<SpareCandidate>,
}

impl Member {
    pub(super) fn id(&self) -> &SessionId {
        self.id.get_or_init(super::new_id)
    }

    /// Returns the ID, or `None` if it is not fixed yet.
    pub(super) fn known_id(&self) -> Option<&SessionId> {
        self.id.get()
    }

    pub(super) async fn acquire(&self, what: Use) -> Result<Permit, Error> {
        self.check_spares();
        acquire(&self.pool.inner, self.number, what).await
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a prompt was sent.
    pub(super) fn begun(&self) {
        self.kept().has_begun = true;
    }

    /// Returns how often the application has set the permission mode, for [`keep_mode`](Self::keep_mode).
    pub(super) fn mode_changes(&self) -> u64 {
        self.kept().mode_changes
    }

    /// Records the permission mode that a process reported at its end, so that the next process gets it. Does nothing
    /// if the application has set the mode after the report was requested.
    pub(super) fn keep_mode(&self, mode: PermissionMode, changes: u64) {
        let mut kept = self.kept();
        if kept.mode_changes == changes {
            kept.changes
                .retain(|change| !matches!(change, ControlRequestBody::SetPermissionMode(_)));
            kept.mode = Some(mode);
        }
    }

    /// Determines whether the session's first process can be a spare. Runs once, before the first process.
    fn check_spares(&self) {
        let templates = &self.pool.inner.templates;
        let is_fixed = templates.is_empty() || self.id.get().is_some();
        if is_fixed || std::mem::replace(&mut self.kept().has_checked_spares, true) {
            return;
        }
        // `build` is code of the application, so it runs without any lock.
        let builder = (self.build)(self.options.clone());
        if let Some((template, fitting)) = SpareCandidate::of(templates, builder) {
            self.kept().fitting = Some(fitting);
            let number = self.number;
            let inner = &self.pool.inner;
            inner.update(|state, _| state.scheduler.fits(number, Some(template)));
        }
    }

    /// Makes the session take over a spare as its first process. If this fails, the spare's process has ended.
    pub(super) async fn claim_spare(&self, spare_process: SpareProcess) -> Result<Session, Error> {
        let (fitting, changes) = {
            let mut kept = self.kept();
            (kept.fitting.take(), kept.changes.clone())
        };
        let is_free = *self.id.get_or_init(|| spare_process.id.clone()) == spare_process.id;
        if let Some(fitting) = fitting.filter(|_| is_free) {
            return fitting.claim_spare(spare_process, changes).await;
        }
        // The session got its ID in the meantime, and it is not the spare's ID. So the session cannot take over the
        // spare.
        spare_process.end().await?;
        Err(Cause::Closed.into())
    }

    /// Starts a process that continues where the last process ended.
    pub(super) async fn begin(&self) -> Result<Session, Error> {
        let (has_begun, mode, changes) = {
            let mut kept = self.kept();
            // This process is not a spare. From now on, the session resumes a conversation, which a spare cannot do.
            kept.fitting = None;
            (kept.has_begun, kept.mode.clone(), kept.changes.clone())
        };
        let mut options = self.options.clone();
        if let Some(mode) = mode {
            options.permission_mode = Some(mode);
        }
        let session = if has_begun {
            let resumed = self.source.resume(self.id(), options.clone()).await?;
            match (self.build)(resumed).connect().await {
                // The CLI never processed a prompt of this conversation, so it has no transcript. The session begins
                // with a new process.
                Err(error) if error.is_session_not_found() && !self.was_kept => {
                    self.connect_new(options).await?
                }
                other => other?,
            }
        } else {
            self.connect_new(options).await?
        };
        make(&session, changes).await?;
        Ok(session)
    }

    async fn connect_new(&self, mut options: QueryOptions) -> Result<Session, Error> {
        options.session_id = Some(self.id().clone());
        (self.build)(options).connect().await
    }
}

impl Kept {
    pub(super) fn keep(&mut self, change: ControlRequestBody) -> Result<(), Error> {
        let kind = std::mem::discriminant(&change);
        let sets_one_thing = matches!(
            change,
            ControlRequestBody::SetModel(_)
                | ControlRequestBody::SetPermissionMode(_)
                | ControlRequestBody::SetMaxThinkingTokens(_)
                | ControlRequestBody::McpSetServers(_)
        );
        self.changes.retain(|other| {
            *other != change && !(sets_one_thing && std::mem::discriminant(other) == kind)
        });
        if self.changes.len() >= MOST_CHANGES {
            return Err(Error::bad_request(
                "the change",
                "the session keeps 256 changes already",
            ));
        }
        if matches!(change, ControlRequestBody::SetPermissionMode(_)) {
            self.mode_changes += 1;
        }
        self.changes.push(change);
        Ok(())
    }

    /// Removes a recorded control request that the CLI refused: restores the list `before`. Does nothing if another
    /// request was recorded in the meantime.
    pub(super) fn take_back(
        &mut self,
        change: &ControlRequestBody,
        before: Vec<ControlRequestBody>,
    ) {
        if self.changes.last() == Some(change) {
            self.changes = before;
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let number = self.number;
        let tenant = self
            .tenant
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let tenant = std::mem::take(tenant);
        self.pool.inner.update(|state, now| {
            state.members.remove(&number);
            state.leave_tenant(&tenant);
            state.scheduler.leave(now, number);
        });
    }
}
