//! The state that a live conversation, its driver and its viewers share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::message::RateLimitInfo;
use claw_types::{MessageUuid, SessionId};
use claw_view::Element;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use super::activity::Activity;
use super::budget::Budget;
use super::control::{Control, Resumption};
use super::first::{Everything, FirstState};
use super::glance::Glance;
use super::kept::ShownKept;
use super::paused::Operations;
use super::permission_scope::PermissionScope;
use super::prompts::{Prompts, Refusal};
use super::times::{Moment, Times};
use crate::Project;
use crate::choices::ProjectChoices;
use crate::conversation::{
    Answer, AnswerError, Answered, Asked, Conversation, Event, Next, Phase, Reply, WaitsFor,
    is_same_use,
};
use crate::counts::Counts;
use crate::quota::ReachedLimit;
use crate::quota_book::{Payer, QuotaBook};
use crate::role::Role;
use crate::spans::{About, Trace};

/// The state of a live conversation, behind a lock that is never held over an `await`.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The session's current ID. `/clear` changes it.
    id: Mutex<SessionId>,
    /// The name of the project.
    pub(crate) project: String,
    inner: Mutex<Inner>,
    newest: watch::Sender<u64>,
    /// Maximum wait of a request for an answer. `None` if no person answers requests.
    pub(super) answer_limit: Option<Duration>,
    /// The time for which a permission request waits while its process runs. After this time, the process is ended, and the
    /// request is deferred: it waits in the store. `None` means that requests are never deferred.
    pub(super) defer_after: Option<Duration>,
    /// Maximum time for which a call waits for an unreachable store. Zero without a store.
    pub(super) patience: Duration,
    /// Sends commands to the driver.
    pub(super) controls: OnceLock<mpsc::WeakSender<Control>>,
    /// The accepted prompts. They have a separate lock, because their records are files. Readers of the conversation must
    /// not wait until a file is written.
    pub(super) prompts: Prompts,
    /// The kept entries that viewers have already received (see `kept.rs`).
    kept: Mutex<ShownKept>,
    /// The permission changes that the project allows.
    pub(super) permission_scope: PermissionScope,
    /// For each role, the most recently rendered first state, which new viewers receive. Locked while a first state is
    /// rendered, so that other viewers wait for it.
    first: tokio::sync::Mutex<HashMap<Role, Arc<FirstState>>>,
    /// The models, permission modes and commands that the processes of the project have reported.
    pub(super) learned: ProjectChoices,
    /// The list to which this conversation reports its changes, under `key`.
    pub(super) activity: Arc<Activity>,
    key: u64,
    pub(super) trace: Arc<Trace>,
    /// The operations of git that people have requested.
    pub(super) operations: Operations,
    /// The book that records how much of their limits users and projects have used. `None` if there are no limits.
    pub(super) quotas: Option<Arc<QuotaBook>>,
    /// The payer to whom the session is charged. This is the sender of the newest prompt. Before the first prompt, it
    /// is the user who made the session live.
    payer: Mutex<Payer>,
    /// The budget of the session's process.
    budget: Mutex<Budget>,
}

#[derive(Debug)]
struct Inner {
    conversation: Conversation,
    /// For the ID of each waiting request, the sender of the channel on which the request's callback waits for the answer.
    waiting: HashMap<String, oneshot::Sender<Reply>>,
    /// The answer to a permission request that has waited without a process. The resumed process takes the answer when it
    /// repeats the request.
    reply: Option<DeferredReply>,
    /// The time at which the conversation was last used.
    used: Instant,
    times: Times,
    /// The operating system's ID of the session's process.
    pid: Option<u32>,
}

/// The time at which the phase of a live session began, and what the session waits for.
#[derive(Debug)]
pub(crate) struct LiveTimes {
    pub(crate) phase: Phase,
    pub(crate) since: Moment,
    pub(crate) waits_for: Option<WaitsFor>,
    /// The time at which the oldest waiting request was added.
    pub(crate) oldest_request: Option<Instant>,
    /// How long the process has been silent. `None` if the process need not write anything.
    pub(crate) silence: Option<Duration>,
    pub(crate) pid: Option<u32>,
}

/// A period in which a process was silent for too long.
pub(super) struct Silence {
    pub(super) time: Duration,
    pub(super) waits_for: Option<WaitsFor>,
    pub(super) pid: Option<u32>,
}

/// The answer to a deferred request, whose process has ended. It is stored until a new process repeats the request.
#[derive(Debug)]
struct DeferredReply {
    body: CanUseTool,
    result: PermissionResult,
}

impl Shared {
    pub(super) fn new(
        conversation: Conversation,
        id: SessionId,
        project: &Project,
        answer_limit: Option<Duration>,
        prompts: Prompts,
        learned: ProjectChoices,
        activity: Arc<Activity>,
    ) -> Self {
        let newest = watch::Sender::new(conversation.newest());
        let inner = Inner {
            times: Times::new(&conversation),
            pid: None,
            conversation,
            waiting: HashMap::new(),
            reply: None,
            used: Instant::now(),
        };
        Self {
            id: Mutex::new(id),
            project: project.name.clone(),
            inner: Mutex::new(inner),
            newest,
            answer_limit,
            defer_after: None,
            patience: Duration::ZERO,
            controls: OnceLock::new(),
            prompts,
            kept: Mutex::default(),
            permission_scope: PermissionScope::new(project),
            first: tokio::sync::Mutex::default(),
            learned,
            key: activity.key(),
            activity,
            trace: Arc::new(Trace::new()),
            operations: Operations::default(),
            quotas: None,
            payer: Mutex::default(),
            budget: Mutex::default(),
        }
    }

    /// Returns the kept entries that viewers have already received (see `kept.rs`).
    pub(super) fn kept(&self) -> MutexGuard<'_, ShownKept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the payer to whom the session is charged.
    pub(crate) fn payer(&self) -> Payer {
        let payer = self.payer.lock();
        payer.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_payer(&self, payer: Payer) {
        *self.payer.lock().unwrap_or_else(PoisonError::into_inner) = payer;
    }

    /// Returns the budget of the session's process.
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows viewers that a prompt waits because this limit is reached. `None` means that no prompt waits for a limit.
    pub(super) fn wait_for_limit(&self, limit: Option<ReachedLimit>) {
        if self.peek(|conversation| conversation.state().waits_for_limit != limit) {
            self.with(|conversation| conversation.set(|state| state.waits_for_limit = limit));
        }
    }

    /// Returns the session's current ID.
    pub(crate) fn id(&self) -> SessionId {
        self.id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Shows viewers whether the session waits for an unreachable store. Returns whether the session may wait. A closed
    /// session may not wait.
    pub(super) fn wait_for_store(&self, is_waiting: bool) -> bool {
        self.with(|conversation| {
            conversation.set(|state| state.waits_for_store = is_waiting);
            !conversation.is_closed()
        })
    }

    /// Sets the new ID under which the conversation continues.
    pub(super) fn moved(&self, to: &SessionId) {
        let mut id = self.id.lock().unwrap_or_else(PoisonError::into_inner);
        let from = std::mem::replace(&mut *id, to.clone());
        drop(id);
        self.trace_moves(&from, to);
        self.with(|conversation| {
            conversation.moved(to);
            // The list of busy sessions contains the session's ID, so the change is reported to the list.
            self.report(conversation);
        });
    }

    fn report(&self, conversation: &Conversation) {
        let of = (self.id(), &*self.project);
        self.activity.report(self.key, of, conversation);
    }

    /// Records the usage limits of the login, as the session reports them.
    pub(super) fn report_limits(&self, info: &RateLimitInfo) {
        let config_dir = self.prompts.config_dir();
        self.activity.report_limits(config_dir, info);
    }

    /// Changes the conversation, and wakes viewers if there are new events.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Conversation) -> T) -> T {
        self.update_inner(|inner| what(&mut inner.conversation))
    }

    fn update_inner<T>(&self, what: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        let before = Glance::at(&inner.conversation);
        let done = what(&mut inner);
        inner.used = Instant::now();
        if Glance::at(&inner.conversation) != before {
            let counts = self.counts();
            let Inner {
                times,
                conversation,
                ..
            } = &mut *inner;
            let waited = times.on_change(before, conversation, counts);
            for since in waited {
                self.span(None, About::new("claw.request"), since);
            }
            self.report(&inner.conversation);
            #[cfg(feature = "notify")]
            self.activity
                .notify((self.id(), &self.project), before, &inner.conversation);
        }
        // The number is sent while the conversation is locked. Otherwise two threads could send their numbers in the wrong
        // order.
        let newest = inner.conversation.newest();
        self.newest.send_if_modified(|known| {
            let is_newer = *known != newest;
            *known = newest;
            is_newer
        });
        done
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counters of the hub.
    pub(super) fn counts(&self) -> &Counts {
        &self.activity.counts
    }

    /// Adds a span to a turn. The span describes something that the turn has waited for since `began`. If `prompt` is
    /// `None`, the span belongs to the turn that began last.
    pub(super) fn span(&self, prompt: Option<&MessageUuid>, about: About, began: Instant) {
        let spans = &self.activity.spans;
        if spans.is_on() {
            let prompt = prompt.map(MessageUuid::as_str);
            self.trace.wait(spans, self.id(), prompt, about, began);
        }
    }

    /// Changes the conversation because of a message of its process.
    pub(super) fn on_message<T>(&self, what: impl FnOnce(&mut Conversation) -> T) -> T {
        self.update_inner(|inner| {
            inner.times.on_message();
            what(&mut inner.conversation)
        })
    }

    /// Sets the ID of the process.
    pub(super) fn set_pid(&self, pid: Option<u32>) {
        self.lock().pid = pid;
    }

    /// Returns the time at which the session's phase began, and what the session waits for. The call does not count as
    /// a use of the conversation.
    pub(crate) fn live_times(&self) -> LiveTimes {
        let inner = self.lock();
        let phase = inner.conversation.state().phase;
        LiveTimes {
            phase,
            since: inner.times.phase(),
            waits_for: inner.conversation.waits_for(),
            oldest_request: inner.times.oldest_request(),
            silence: inner.times.silence(phase),
            pid: inner.pid,
        }
    }

    /// Returns the silence of the process, if it has lasted at least `limit` and no earlier call has returned it.
    pub(super) fn new_silence(&self, limit: Duration) -> Option<Silence> {
        let mut inner = self.lock();
        let phase = inner.conversation.state().phase;
        let time = inner.times.silence(phase).filter(|time| *time >= limit)?;
        inner.times.report().then(|| Silence {
            time,
            waits_for: inner.conversation.waits_for(),
            pid: inner.pid,
        })
    }

    /// Reads the conversation. The call does not count as a use of the conversation.
    pub(crate) fn peek<T>(&self, read: impl FnOnce(&Conversation) -> T) -> T {
        read(&self.lock().conversation)
    }

    /// Returns the time at which the conversation was last used. Returns `None` while it has a viewer, a running turn
    /// or a waiting request.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let inner = self.lock();
        let is_used = self.newest.receiver_count() > 0
            || inner.conversation.state().queued > 0
            || inner.conversation.is_asking();
        (!is_used).then_some(inner.used)
    }

    /// Adds a request. Its answer is sent to `sender`. Returns the ID of the request. The ID is new, unless a resumed
    /// process repeats a request that has waited without a process.
    ///
    /// # Errors
    ///
    /// Fails with the reason why no person is asked.
    pub(super) fn add_request(
        &self,
        asked: Asked,
        sender: oneshot::Sender<Reply>,
    ) -> Result<String, &'static str> {
        self.update_inner(|inner| {
            let again = match &asked {
                Asked::Tool(tool) => inner.conversation.ask_again(&tool.body),
                Asked::Elicitation(_) | Asked::Dialog(_) => None,
            };
            let id = if let Some(id) = again {
                id
            } else {
                let id = uuid::Uuid::new_v4().to_string();
                inner.conversation.ask(id.clone(), asked)?;
                id
            };
            inner.waiting.insert(id.clone(), sender);
            Ok(id)
        })
    }

    /// Sends a command to the driver. If the channel is full, a task sends the command later.
    pub(super) fn control(&self, control: Control) {
        let Some(controls) = self.controls.get().and_then(mpsc::WeakSender::upgrade) else {
            return;
        };
        if let (Err(mpsc::error::TrySendError::Full(control)), Ok(runtime)) =
            (controls.try_send(control), Handle::try_current())
        {
            runtime.spawn(async move { controls.send(control).await });
        }
    }

    /// Withdraws a request, unless it is deferred and waits without a process.
    pub(super) fn withdraw(&self, id: &str, by: &str) {
        self.update_inner(|inner| {
            if !inner.conversation.is_deferred(id) {
                inner.waiting.remove(id);
                inner.conversation.withdraw(id, by);
            }
        });
    }

    /// Makes a request wait without a process. The caller must not drop the returned sender before the process has ended,
    /// because the drop denies the request. Returns `None` if the request cannot wait in this way, or no longer waits.
    pub(super) fn begin_deferral(&self, id: &str) -> Option<oneshot::Sender<Reply>> {
        self.update_inner(|inner| {
            let sender = inner.waiting.remove(id)?;
            if sender.is_closed() || !inner.conversation.defer(id) {
                inner.waiting.insert(id.to_owned(), sender);
                return None;
            }
            Some(sender)
        })
    }

    /// Withdraws a request that was to wait without a process, but could not be stored. Called after its turn has ended.
    pub(super) fn end_deferral(&self, id: &str) {
        self.with(|conversation| conversation.withdraw(id, "withdrawn"));
    }

    /// Takes the answer to a request that has waited without a process. The resumed process needs the answer when it
    /// repeats the request. The answer can be taken once.
    pub(super) fn take_reply(&self, body: &CanUseTool) -> Option<PermissionResult> {
        let mut inner = self.lock();
        let reply = inner
            .reply
            .take_if(|reply| is_same_use(&reply.body, body))?;
        Some(reply.result)
    }

    /// Removes the answer to a request that has waited without a process. Returns `true` if there was an answer, which
    /// means that no process has repeated the request.
    pub(super) fn forget_reply(&self) -> bool {
        self.lock().reply.take().is_some()
    }

    /// Answers a request. Only the first answer is accepted. If the request waits without a process, the caller must then
    /// resume the session.
    pub(super) fn answer(
        &self,
        id: &str,
        answer: &Answer,
        by: &str,
    ) -> Result<(Answered, Option<Resumption>), AnswerError> {
        self.update_inner(|inner| {
            if inner
                .waiting
                .get(id)
                .is_some_and(oneshot::Sender::is_closed)
            {
                // The CLI has cancelled the request, so its callback is being dropped, and no answer is accepted.
                inner.conversation.withdraw(id, "withdrawn");
            }
            let deferred = inner.conversation.is_deferred(id);
            let deferred = deferred.then(|| inner.conversation.asked_tool(id).cloned());
            let (answered, reply) = inner.conversation.answer(id, answer, by)?;
            if let (Some(Some(body)), Reply::Permission(result)) = (deferred, &reply) {
                inner.reply = Some(DeferredReply {
                    body: body.clone(),
                    result: result.clone(),
                });
                inner.conversation.resume();
                let answered = answered.clone();
                let resumption = Resumption { answered, body };
                return Ok((resumption.answered.clone(), Some(resumption)));
            }
            // If the callback was dropped, the request was already denied, and no receiver exists for the answer.
            if let Some(sender) = inner.waiting.remove(id) {
                let _ = sender.send(reply);
            }
            Ok((answered, None))
        })
    }

    /// Closes the conversation and denies waiting requests. Viewers are notified of the prompts that are still
    /// unanswered.
    pub(crate) fn close(&self) {
        let unanswered = self.prompts.unanswered();
        let why = Refusal::of_session(self.prompts.refusal());
        self.update_inner(|inner| {
            inner.waiting.clear();
            if !inner.conversation.is_closed() {
                let cut = unanswered.len() as u64;
                self.counts().change(|totals| totals.cut += cut);
            }
            inner.conversation.cut_off(unanswered, why);
            inner.conversation.close();
        });
        self.prompts.release();
    }

    /// Returns a viewer that already has all events up to `after`. `None` means that the viewer has no events.
    pub(crate) fn viewer(self: &Arc<Self>, after: Option<u64>) -> Viewer {
        Viewer {
            newest: self.newest.subscribe(),
            shared: self.clone(),
            after,
            has_ended: false,
        }
    }
}

/// Maximum number of events that a viewer receives at once.
const AT_ONCE: usize = 64;

/// A viewer of a conversation. A viewer has no queue, but only a position in the conversation's log of events.
#[derive(Debug)]
pub struct Viewer {
    shared: Arc<Shared>,
    newest: watch::Receiver<u64>,
    after: Option<u64>,
    has_ended: bool,
}

/// The events for a viewer that begins with [`Viewer::first_state`].
#[derive(Debug)]
pub(crate) enum Followed {
    /// The next events, at least one.
    Events(Vec<Event>),
    /// The log no longer contains the next events, so the viewer must begin with a new first state.
    Lost,
}

impl Viewer {
    /// Waits for new events and returns at least one of them. Returns a [`Next::Reset`] if the viewer has no events
    /// yet, or if the log no longer contains all events after the viewer's last one. Returns `None` after the end of
    /// the conversation on this server.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Option<Next> {
        let read = |conversation: &mut Conversation, after| {
            let next = conversation.next(after, AT_ONCE);
            let number = match &next {
                Next::Reset(number, _) => Some(*number),
                Next::Events(events) => events.last().map(|last| last.number),
            };
            number.map(|number| (number, next))
        };
        let (number, next) = self.wait(read).await?;
        self.after = Some(number);
        Some(next)
    }

    /// Waits for new events as [`next`](Self::next) does, for a viewer that begins with
    /// [`first_state`](Self::first_state).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn follow(&mut self) -> Option<Followed> {
        let read = |conversation: &mut Conversation, after| {
            let events = conversation.events_after(after, AT_ONCE);
            match events {
                None => Some(Followed::Lost),
                Some(events) if events.is_empty() => None,
                Some(events) => Some(Followed::Events(events)),
            }
        };
        let followed = self.wait(read).await?;
        if let Followed::Events(events) = &followed {
            self.after = events.last().map(|last| last.number);
        }
        Some(followed)
    }

    /// Returns the first state for this viewer. After this call, the viewer receives only later events. The state is
    /// rendered from the whole conversation, unless a recent state exists. If several viewers with this role need it at
    /// once, one of them renders it and all receive it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. If the future is dropped, another viewer renders the state.
    pub(crate) async fn first_state(
        &mut self,
        role: Role,
        render: impl FnOnce(&Everything) -> (String, Vec<Arc<Element>>) + Send + 'static,
    ) -> Arc<FirstState> {
        let mut last = self.shared.first.lock().await;
        let is_recent = |first: &&Arc<FirstState>| self.shared.peek(|it| first.is_recent(it));
        let first = if let Some(first) = last.get(&role).filter(is_recent) {
            first.clone()
        } else {
            let everything = self.shared.peek(Everything::of);
            Arc::new(everything.render(render).await)
        };
        last.insert(role, first.clone());
        drop(last);
        self.after = Some(first.number());
        first
    }

    /// Calls `read` now and after each change, until `read` returns a value.
    async fn wait<T>(
        &mut self,
        read: impl Fn(&mut Conversation, Option<u64>) -> Option<T>,
    ) -> Option<T> {
        while !self.has_ended {
            self.newest.borrow_and_update();
            let (found, is_closed) = self.shared.with(|conversation| {
                let found = read(conversation, self.after);
                (found, conversation.is_closed())
            });
            if found.is_some() {
                return found;
            }
            // This viewer owns the sender of the channel through `shared`, so the channel cannot be closed.
            self.has_ended = is_closed || self.newest.changed().await.is_err();
        }
        None
    }

    /// Returns the session's current ID.
    pub(crate) fn session(&self) -> SessionId {
        self.shared.id()
    }

    /// Returns the text that distinguishes this conversation from earlier ones of the same session.
    pub fn epoch(&self) -> String {
        self.shared
            .peek(|conversation| conversation.epoch().to_owned())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // The conversation was in use as long as this viewer existed. So its last use is now.
        self.shared.lock().used = Instant::now();
    }
}
