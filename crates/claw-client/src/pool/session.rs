//! A session that outlives its processes.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use claw_types::control::{ControlRequestBody, Request, SetModel, SetPermissionMode};
use claw_types::options::PermissionMode;
use claw_types::{QueryOptions, SessionId};
use tokio::sync::oneshot;

use super::permit::{DetachOnDrop, Permit, acquire};
use super::scheduler::{MemberId, Use};
use super::source::{LocalDisk, ResumeSource};
use super::spares::{SpareCandidate, make};
use super::{Inner, Pool, PooledProcess, PooledTurn};
use crate::builder::warm::SpareProcess;
use crate::error::Cause;
use crate::{Error, Prompt, SessionBuilder};

/// Maximum number of changes that a session repeats: see [`PooledSession::change`].
const MOST_CHANGES: usize = 256;

pub(super) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// Configures a session of a pool. Created by [`Pool::session_builder`].
#[must_use = "a session joins the pool with `open`"]
pub struct PooledSessionBuilder {
    pool: Pool,
    options: QueryOptions,
    build: Build,
    tenant: String,
    weight: u32,
    source: Arc<dyn ResumeSource>,
}

impl PooledSessionBuilder {
    pub(super) fn new(pool: Pool, options: QueryOptions, build: Build) -> Self {
        Self {
            pool,
            options,
            build,
            tenant: String::new(),
            weight: 1,
            source: Arc::new(LocalDisk),
        }
    }

    /// Sets the tenant of the session, and the tenant's weight. Waiting tenants are served in turn; a tenant of weight
    /// 2 is served twice as often as one of weight 1. The weight that was set last applies to all sessions of the
    /// tenant. By default, all sessions have the same tenant.
    pub fn tenant(mut self, name: impl Into<String>, weight: u32) -> Self {
        self.tenant = name.into();
        self.weight = weight.max(1);
        self
    }

    /// Sets the source from which each new process of the session resumes the conversation. Default: the session's
    /// transcript on this machine.
    pub fn source(mut self, source: impl ResumeSource + 'static) -> Self {
        self.source = Arc::new(source);
        self
    }

    /// Adds the session. No process is started yet.
    pub fn open(self) -> PooledSession {
        let Self {
            pool,
            mut options,
            build,
            tenant,
            weight,
            source,
        } = self;
        let resumed = options.resume.take();
        let named = options.session_id.take();
        let was_kept = resumed.is_some();
        let kept = Kept {
            has_begun: was_kept,
            mode: None,
            mode_changes: 0,
            changes: Vec::new(),
            has_checked_spares: false,
            fitting: None,
        };
        let id = match resumed.or(named) {
            Some(id) => OnceLock::from(id),
            // If the session takes over a spare, it has the spare's ID, which is not known yet.
            None if pool.inner.templates.is_empty() => OnceLock::from(super::new_id()),
            None => OnceLock::new(),
        };
        let member = pool.inner.update(|state, _| {
            let number = MemberId(state.number());
            let of = state.join_tenant(&tenant);
            let member = Arc::new(Member {
                pool: pool.clone(),
                number,
                tenant,
                id,
                was_kept,
                options,
                build,
                source,
                kept: Mutex::new(kept),
            });
            state.members.insert(number, Arc::downgrade(&member));
            state.scheduler.join(number, of, weight);
            member
        });
        PooledSession { member }
    }
}

/// A conversation of a [`Pool`]. At times it has no process; the pool then starts one for the next prompt or call.
/// Clones are handles of the same session.
///
/// # Drop
///
/// When the last handle is dropped, the session leaves the pool and its process ends. A [`PooledTurn`], and a future of
/// [`ask`](Self::ask) or another method, count as handles. The conversation stays on disk, and can be resumed by its
/// [`id`](Self::id).
///
/// A turn whose `PooledTurn` or future of `ask` was dropped continues while the session has a handle, and ends with the
/// process. [`Pool::wait_for_endings`] waits for the end of the process.
#[derive(Clone)]
pub struct PooledSession {
    member: Arc<Member>,
}

/// A session of the pool, with or without a process.
pub(super) struct Member {
    pool: Pool,
    number: MemberId,
    tenant: String,
    /// The session's ID. Set when the application asks for it, or when a process has it.
    id: OnceLock<SessionId>,
    /// Whether the conversation existed before the session joined the pool.
    was_kept: bool,
    options: QueryOptions,
    build: Build,
    source: Arc<dyn ResumeSource>,
    kept: Mutex<Kept>,
}

/// The state that the session's next process must be set to.
struct Kept {
    /// Whether a prompt was sent, so that a conversation exists that can be resumed.
    has_begun: bool,
    /// The permission mode at the end of the last process.
    mode: Option<PermissionMode>,
    /// The number of times that the application has set the permission mode.
    mode_changes: u64,
    /// The changes to repeat, in the order in which they were made.
    changes: Vec<ControlRequestBody>,
    has_checked_spares: bool,
    /// The settings for the first process, if that can be a spare.
    fitting: Option<SpareCandidate>,
}

impl PooledSession {
    /// Returns the session's ID, which is the same for all its processes.
    ///
    /// In a pool with [spares](super::PoolBuilder::spares), a session has the ID of the spare that it takes over. If
    /// this method is called before the session has had a process, it fixes the ID, and the session takes no spare. To
    /// avoid that, call [`ready`](Self::ready) first.
    pub fn id(&self) -> &SessionId {
        self.member.id()
    }

    /// Waits until the session has a process, and sends nothing to it. The next prompt then does not wait for a start.
    /// The process counts as idle: the pool may end it when another session needs its place.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn ready(&self) -> Result<(), Error> {
        self.member.acquire(Use::Call).await.map(drop)
    }

    /// Waits until the session has a process, and sends nothing to it. The pool does not end the process until the
    /// returned value is dropped.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn process(&self) -> Result<PooledProcess, Error> {
        self.member.acquire(Use::Turn).await.map(PooledProcess::new)
    }

    pub(super) fn inner(&self) -> &Arc<Inner> {
        &self.member.pool.inner
    }

    /// Sends a prompt and returns its turn: a stream of messages that ends with the result, as
    /// [`Session::send`](crate::Session::send) does.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it completes, nothing is sent.
    pub fn send<P: Into<Prompt>>(
        &self,
        prompt: P,
    ) -> impl Future<Output = Result<PooledTurn, Error>> + Send + use<P> {
        self.send_after(prompt, std::future::ready(Ok(())))
    }

    /// Sends a prompt as [`send`](Self::send) does, but runs `before` first. `before` runs when there is a process for
    /// the prompt and nothing was sent yet. In `before`, a program can record on disk that the prompt is about to be
    /// sent.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`send`](Self::send). Also fails with the error of `before` if `before` fails;
    /// nothing was sent then.
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`send`](Self::send). If the future is dropped, `before` may already have run.
    pub fn send_after<P, F, E>(
        &self,
        prompt: P,
        before: F,
    ) -> impl Future<Output = Result<PooledTurn, E>> + Send + use<P, F, E>
    where
        P: Into<Prompt>,
        F: Future<Output = Result<(), E>> + Send,
        E: From<Error>,
    {
        let (member, prompt) = (self.member.clone(), prompt.into());
        async move {
            let permit = member.acquire(Use::Turn).await?;
            before.await?;
            let turn = permit.session().send(prompt).await?;
            member.begun();
            Ok(PooledTurn::new(member, permit, turn))
        }
    }

    /// Sends a control request to the session's process, as [`Session::call`](crate::Session::call) does. If the
    /// session has no process, the pool starts one.
    ///
    /// A change that the call makes is lost when the process ends. Use [`change`](Self::change) for lasting changes.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`ask`](Self::ask) and [`Session::call`](crate::Session::call).
    pub fn call<R>(
        &self,
        body: R,
    ) -> impl Future<Output = Result<R::Response, Error>> + Send + use<R>
    where
        R: Request + Send + 'static,
        R::Response: Send,
    {
        self.clone()
            .with(Use::Call, move |permit, _| permit.session().call(body))
    }

    /// Changes the session by a control request. The request is sent to the current process, and repeated in each later
    /// process before its first prompt. Without a current process, nothing is sent yet, and the return value is `None`.
    ///
    /// If several changes set the same value (the model, the permission mode, the thinking tokens, the MCP servers),
    /// only the last of them is repeated. All other changes are repeated in their order.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call). After such an error, the change is not repeated in later
    /// processes. Also fails if the session already has 256 changes to repeat: [`Error::is_bad_request`] is true for
    /// that error.
    pub async fn change<R>(&self, body: R) -> Result<Option<R::Response>, Error>
    where
        R: Request + Clone + Send + 'static,
        R::Response: Send,
    {
        let again: ControlRequestBody = body.clone().into();
        let before = self.member.kept().changes.clone();
        // The change is recorded before it is sent: a process that starts after this point gets the recorded change,
        // and a process that runs or is already starting gets the call.
        self.member.kept().keep(again.clone())?;
        if !self.has_process() {
            return Ok(None);
        }
        let answer = self.call(body).await;
        if answer.is_err() {
            self.member.kept().take_back(&again, before);
        }
        answer.map(Some)
    }

    /// Whether the session has a process, or one is being started for it. If so, [`call`](Self::call) does not start a
    /// process, unless the current one ends in the meantime.
    pub fn has_process(&self) -> bool {
        let member = &self.member;
        member
            .pool
            .inner
            .lock()
            .scheduler
            .has_process(member.number)
    }

    /// Sets the model for all later answers, also in later processes of the session.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`change`](Self::change).
    pub async fn set_model(&self, model: impl Into<String>) -> Result<(), Error> {
        self.change(SetModel::new().model(model.into())).await?;
        Ok(())
    }

    /// Sets the permission mode from now on, also in later processes of the session.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`change`](Self::change).
    pub async fn set_permission_mode(&self, mode: impl Into<PermissionMode>) -> Result<(), Error> {
        self.change(SetPermissionMode::new(mode)).await?;
        Ok(())
    }

    /// Ends the session's current process as soon as no turn or call of it has a reader, and waits for the end. A turn
    /// has no reader if its [`PooledTurn`] or its future of [`ask`](Self::ask) was dropped. Without a process, the
    /// future is ready at once. When the future completes, the CLI has written the whole transcript. A program should
    /// wait for the future before it exits, because its remaining processes are killed at its exit. The next prompt
    /// starts another process.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the process ends even if the future is dropped or never polled, because the call itself requests
    /// the end.
    pub fn end_process(&self) -> impl Future<Output = ()> + Send + use<> {
        let number = self.member.number;
        let exited = self.member.pool.inner.update(|state, now| {
            let live = state.live.get(&number);
            let exited = live.map(|(_, session)| session.finished());
            state.scheduler.finish(now, number);
            exited
        });
        async move {
            if let Some(exited) = exited {
                exited.await;
            }
        }
    }

    /// Announces to the pool that the program is about to kill the session's current process, for example to defer a
    /// permission request. The pool then does not count the end of the process as a crash. Without a process, this
    /// method does nothing.
    pub fn expect_end(&self) {
        let number = self.member.number;
        let inner = &self.member.pool.inner;
        inner.update(|state, _| state.scheduler.expect_end(number));
    }

    /// Whether the session has a process at this moment.
    pub fn is_live(&self) -> bool {
        self.member
            .pool
            .inner
            .lock()
            .live
            .contains_key(&self.member.number)
    }

    /// Uses the session's process for some work. The work runs in a task until it completes or the process ends, even
    /// if the returned future is dropped.
    pub(super) async fn with<T, F>(
        self,
        what: Use,
        work: impl FnOnce(&Permit, &Member) -> F + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let permit = Arc::new(self.member.acquire(what).await?);
        let work = work(&permit, &self.member);
        let _detach = DetachOnDrop(Arc::downgrade(&permit));
        let (done, result) = oneshot::channel();
        // The task holds no handle of the session: when the last handle is dropped, the process ends even if the task
        // still runs.
        self.inner().runtime.spawn(async move {
            let result = work.await;
            drop(permit);
            let _ = done.send(result);
        });
        result.await.unwrap_or_else(|_| Err(Cause::Closed.into()))
    }
}

impl Member {
    pub(super) fn id(&self) -> &SessionId {
        self.id.get_or_init(super::new_id)
    }

    /// Returns the ID, or `None` if it is not fixed yet.
    pub(super) fn known_id(&self) -> Option<&SessionId> {
        self.id.get()
    }

    async fn acquire(&self, what: Use) -> Result<Permit, Error> {
        self.check_spares();
        acquire(&self.pool.inner, self.number, what).await
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
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

    /// Records the permission mode that a process reported at its end, for the next process. Does nothing if the
    /// application has set the mode since the report was requested.
    pub(super) fn keep_mode(&self, mode: PermissionMode, changes: u64) {
        let mut kept = self.kept();
        if kept.mode_changes == changes {
            kept.changes
                .retain(|change| !matches!(change, ControlRequestBody::SetPermissionMode(_)));
            kept.mode = Some(mode);
        }
    }

    /// Finds out whether the session's first process can be a spare. Runs once, before the first process.
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

    /// Takes over a spare. After an error, the spare's process has ended.
    pub(super) async fn claim_spare(
        &self,
        spare_process: SpareProcess,
    ) -> Result<crate::Session, Error> {
        let (fitting, changes) = {
            let mut kept = self.kept();
            (kept.fitting.take(), kept.changes.clone())
        };
        let is_free = *self.id.get_or_init(|| spare_process.id.clone()) == spare_process.id;
        if let Some(fitting) = fitting.filter(|_| is_free) {
            return fitting.claim_spare(spare_process, changes).await;
        }
        // The session's ID was fixed in the meantime, and is not the spare's ID.
        spare_process.end().await?;
        Err(Cause::Closed.into())
    }

    /// Starts a process that continues where the last process ended.
    pub(super) async fn begin(&self) -> Result<crate::Session, Error> {
        let (has_begun, mode, changes) = {
            let mut kept = self.kept();
            // This process is not a spare, and a later process cannot be a spare either.
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
                // No prompt of this conversation was ever processed, so no transcript exists yet.
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

    async fn connect_new(&self, mut options: QueryOptions) -> Result<crate::Session, Error> {
        options.session_id = Some(self.id().clone());
        (self.build)(options).connect().await
    }
}

impl Kept {
    fn keep(&mut self, change: ControlRequestBody) -> Result<(), Error> {
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

    /// The CLI refused this change. Restores the earlier changes, unless another change was recorded in the meantime.
    fn take_back(&mut self, change: &ControlRequestBody, before: Vec<ControlRequestBody>) {
        if self.changes.last() == Some(change) {
            self.changes = before;
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let number = self.number;
        self.pool.inner.update(|state, now| {
            state.members.remove(&number);
            state.leave_tenant(&self.tenant);
            state.scheduler.leave(now, number);
        });
    }
}

impl fmt::Debug for PooledSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledSession")
            .field("id", &self.member.id.get())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for PooledSessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledSessionBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
