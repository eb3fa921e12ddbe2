//! A session that outlives its processes.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use claw_types::control::{ControlRequestBody, Request, SetModel, SetPermissionMode};
use claw_types::options::PermissionMode;
use claw_types::{QueryOptions, SessionId};
use tokio::sync::oneshot;

use super::member::{Build, Kept, LocalDisk, Member, ResumeSource};
use super::permit::{DetachOnDrop, Permit};
use super::scheduler::{MemberId, Use};
use super::turn::PooledTurn;
use super::{Inner, Pool};
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::session::prompt::Prompt;

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
            // The session may take over a spare, and then gets the spare's ID. So its ID is not known yet.
            None if pool.inner.templates.is_empty() => OnceLock::from(super::new_id()),
            None => OnceLock::new(),
        };
        let member = pool.inner.update(|state, _| {
            let number = MemberId(state.number());
            let of = state.join_tenant(&tenant);
            let member = Arc::new(Member {
                pool: pool.clone(),
                number,
                tenant: Mutex::new(tenant),
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

/// A conversation of a [`Pool`]. While the conversation has no process, the next prompt or call makes the pool start
/// one. Clones are handles of the same session.
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
    /// The process counts as idle: the pool may end it to make room for the process of another session.
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

    /// Moves the session to another tenant, with this weight: see [`PooledSessionBuilder::tenant`]. The next prompt or
    /// call that waits for a process is queued for the new tenant. Prompts and calls that already wait keep their
    /// positions in the queue.
    pub fn set_tenant(&self, name: impl Into<String>, weight: u32) {
        let (member, name) = (&self.member, name.into());
        self.inner().update(|state, _| {
            let mut tenant = member.tenant.lock().unwrap_or_else(PoisonError::into_inner);
            let of = state.join_tenant(&name);
            state.scheduler.set_tenant(member.number, of, weight.max(1));
            state.leave_tenant(&tenant);
            *tenant = name;
        });
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
        // The change is recorded before it is sent. A process that starts after this point gets the recorded change. A
        // process that runs or is already starting gets the call below.
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

    /// Whether the session has a process, or a process is being started for it. In both cases, [`call`](Self::call)
    /// does not start a process, unless the current one ends in the meantime.
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
        // The task holds no handle of the session. So the process ends when the last handle is dropped, even if the
        // task still runs.
        self.inner().runtime.spawn(async move {
            let result = work.await;
            drop(permit);
            let _ = done.send(result);
        });
        result.await.unwrap_or_else(|_| Err(Cause::Closed.into()))
    }
}

/// The process of a pooled session. The pool does not end the process until this value is dropped. Use it for work that
/// the CLI does without a prompt, such as continuing with a tool use that was deferred. Returned by
/// [`PooledSession::process`](super::PooledSession::process).
///
/// # Drop
///
/// After the drop, the pool may end the process to make room for another session.
#[must_use = "the pool may end the process once this is dropped"]
pub struct PooledProcess(Permit);

impl PooledProcess {
    pub(super) fn new(permit: Permit) -> Self {
        Self(permit)
    }

    /// Returns the session of the process.
    pub fn session(&self) -> &Session {
        self.0.session()
    }
}

impl fmt::Debug for PooledProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PooledProcess")
            .field(self.session())
            .finish()
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
