//! What a live conversation, its driver and its viewers share: the conversation, and who waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use claw_types::SessionId;
use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::message::RateLimitInfo;
use claw_view::Element;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use super::activity::Activity;
use super::control::{Control, Resumption};
use super::first::{Everything, FirstState};
use super::glance::Glance;
use super::kept::ShownKept;
use super::permission_scope::PermissionScope;
use super::prompts::{Prompts, Refusal};
use crate::Project;
use crate::choices::ProjectChoices;
use crate::conversation::{
    Answer, AnswerError, Answered, Asked, Conversation, Event, Next, Reply, is_same_use,
};

/// The state of a live conversation, behind a lock that is never held over an `await`.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The session's ID, which `/clear` changes.
    id: Mutex<SessionId>,
    /// The name of the project.
    pub(crate) project: String,
    inner: Mutex<Inner>,
    newest: watch::Sender<u64>,
    /// How long a request waits for an answer. `None`: there is nobody to ask.
    pub(super) answer_limit: Option<Duration>,
    /// How long a permission request waits with its process. `None`: as long as it waits at all.
    pub(super) defer_after: Option<Duration>,
    /// How long a store is waited for that is away. Zero without a store.
    pub(super) patience: Duration,
    /// Where the driver is told what to do.
    pub(super) controls: OnceLock<mpsc::WeakSender<Control>>,
    /// Apart from the conversation: a mark is a file, and writing one must not hold up those who look at the conversation.
    pub(super) prompts: Prompts,
    /// What was shown of entries that are kept beside the conversation.
    kept: Mutex<ShownKept>,
    /// What suggested changes of the permissions may bring about.
    pub(super) permission_scope: PermissionScope,
    /// The first state that was made last. Locked while one is made: the others who want it wait for it.
    first: tokio::sync::Mutex<Option<Arc<FirstState>>>,
    /// What the processes of the project have reported.
    pub(super) learned: ProjectChoices,
    /// Where changes are reported, and under which key.
    activity: Arc<Activity>,
    key: u64,
}

#[derive(Debug)]
struct Inner {
    conversation: Conversation,
    /// The callbacks that wait for an answer, by the ID of the request.
    waiting: HashMap<String, oneshot::Sender<Reply>>,
    /// The answer to a deferred request, for the process that asks again.
    reply: Option<DeferredReply>,
    /// When something was done with the conversation last.
    used: Instant,
}

/// The answer to a request whose process has ended.
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
        }
    }

    /// What was shown of entries that are kept beside the conversation.
    pub(super) fn kept(&self) -> MutexGuard<'_, ShownKept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's ID at this moment.
    pub(crate) fn id(&self) -> SessionId {
        self.id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The store is away and is waited for, or no longer. Returns whether it may be waited for: not for a session that
    /// was closed.
    pub(super) fn wait_for_store(&self, is_waiting: bool) -> bool {
        self.with(|conversation| {
            conversation.set(|state| state.waits_for_store = is_waiting);
            !conversation.is_closed()
        })
    }

    /// The conversation goes on under another ID.
    pub(super) fn moved(&self, to: &SessionId) {
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = to.clone();
        self.with(|conversation| {
            conversation.moved(to);
            // Under its new ID.
            self.report(conversation);
        });
    }

    fn report(&self, conversation: &Conversation) {
        let of = (self.id(), &*self.project);
        self.activity.report(self.key, of, conversation);
    }

    /// Takes what the session reports of the limits of the login.
    pub(super) fn report_limits(&self, info: &RateLimitInfo) {
        self.activity.report_limits(info);
    }

    /// Does something with the conversation, and wakes viewers if something happened.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Conversation) -> T) -> T {
        self.update_inner(|inner| what(&mut inner.conversation))
    }

    fn update_inner<T>(&self, what: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        let before = Glance::at(&inner.conversation);
        let done = what(&mut inner);
        inner.used = Instant::now();
        if Glance::at(&inner.conversation) != before {
            self.report(&inner.conversation);
            #[cfg(feature = "notify")]
            self.activity
                .tell((self.id(), &self.project), before, &inner.conversation);
        }
        // Under the lock, so that the number never goes back.
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

    /// Looks at the conversation, which does not count as using it.
    pub(crate) fn peek<T>(&self, look: impl FnOnce(&Conversation) -> T) -> T {
        look(&self.lock().conversation)
    }

    /// When the conversation was used last. `None` while somebody looks at it, or a turn or a request waits.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let inner = self.lock();
        let is_used = self.newest.receiver_count() > 0
            || inner.conversation.state().queued > 0
            || inner.conversation.is_asking();
        (!is_used).then_some(inner.used)
    }

    /// Adds a request that waits for an answer, which goes to `sender`. Returns its ID: a new one, unless it is one that
    /// has waited without a process.
    ///
    /// # Errors
    ///
    /// Why nobody is asked.
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

    /// Tells the driver what to do, soon.
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

    /// Withdraws a request, unless it goes on waiting without a process.
    pub(super) fn withdraw(&self, id: &str, by: &str) {
        self.update_inner(|inner| {
            if !inner.conversation.is_deferred(id) {
                inner.waiting.remove(id);
                inner.conversation.withdraw(id, by);
            }
        });
    }

    /// A request waits without a process from now on. What is returned has to be kept until the process has ended:
    /// dropped, it denies the request. `None` if it does not wait any more.
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

    /// A request that was to wait without a process is lost: the turn was cut.
    pub(super) fn end_deferral(&self, id: &str) {
        self.with(|conversation| conversation.withdraw(id, "withdrawn"));
    }

    /// The answer that was given to a deferred request, for the process that asks again. It counts once.
    pub(super) fn take_reply(&self, body: &CanUseTool) -> Option<PermissionResult> {
        let mut inner = self.lock();
        let reply = inner
            .reply
            .take_if(|reply| is_same_use(&reply.body, body))?;
        Some(reply.result)
    }

    /// Forgets the answer to a deferred request that no process has asked for again. Whether there was one.
    pub(super) fn forget_reply(&self) -> bool {
        self.lock().reply.take().is_some()
    }

    /// Answers a request. The first answer counts. With the answer to a deferred request, the session has to be resumed.
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
                // The CLI has taken it back, and its callback is being dropped.
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
            // A callback that is gone by now has denied: nobody is left to be allowed anything.
            if let Some(sender) = inner.waiting.remove(id) {
                let _ = sender.send(reply);
            }
            Ok((answered, None))
        })
    }

    /// Closes the conversation. What waits is denied. Viewers are told which prompts are not answered and have a mark.
    pub(crate) fn close(&self) {
        let unanswered = self.prompts.unanswered();
        let why = Refusal::of_session(self.prompts.refusal());
        self.update_inner(|inner| {
            inner.waiting.clear();
            inner.conversation.cut_off(unanswered, why);
            inner.conversation.close();
        });
        self.prompts.release();
    }

    /// A viewer that has everything up to this event, or nothing.
    pub(crate) fn viewer(self: &Arc<Self>, after: Option<u64>) -> Viewer {
        Viewer {
            newest: self.newest.subscribe(),
            shared: self.clone(),
            after,
            is_over: false,
        }
    }
}

/// How many events a viewer takes at once.
const AT_ONCE: usize = 64;

/// A viewer of a conversation. It is a position in the conversation's log of events, and has no queue of its own.
#[derive(Debug)]
pub struct Viewer {
    shared: Arc<Shared>,
    newest: watch::Receiver<u64>,
    after: Option<u64>,
    is_over: bool,
}

/// What follows for a viewer that begins with [`Viewer::first_state`].
#[derive(Debug)]
pub(crate) enum Followed {
    /// The events that follow, at least one.
    Events(Vec<Event>),
    /// The events in between are gone: it has to begin anew.
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
        let look = |conversation: &mut Conversation, after| {
            let next = conversation.next(after, AT_ONCE);
            let number = match &next {
                Next::Reset(number, _) => Some(*number),
                Next::Events(events) => events.last().map(|last| last.number),
            };
            number.map(|number| (number, next))
        };
        let (number, next) = self.wait(look).await?;
        self.after = Some(number);
        Some(next)
    }

    /// As [`next`](Self::next), for a viewer that begins with [`first_state`](Self::first_state).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn follow(&mut self) -> Option<Followed> {
        let look = |conversation: &mut Conversation, after| {
            let events = conversation.events_after(after, AT_ONCE);
            match events {
                None => Some(Followed::Lost),
                Some(events) if events.is_empty() => None,
                Some(events) => Some(Followed::Events(events)),
            }
        };
        let followed = self.wait(look).await?;
        if let Followed::Events(events) = &followed {
            self.after = events.last().map(|last| last.number);
        }
        Some(followed)
    }

    /// What the viewer is shown first, after which it goes on. It is made of everything, unless one was made a moment
    /// ago: of several viewers at once, one makes it and all have it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. Another viewer makes it then.
    pub(crate) async fn first_state(
        &mut self,
        render: impl FnOnce(&Everything) -> (String, Vec<Arc<Element>>) + Send + 'static,
    ) -> Arc<FirstState> {
        let mut last = self.shared.first.lock().await;
        let is_recent = |first: &&Arc<FirstState>| self.shared.peek(|it| first.is_recent(it));
        let first = if let Some(first) = last.as_ref().filter(is_recent) {
            first.clone()
        } else {
            let everything = self.shared.peek(Everything::of);
            Arc::new(everything.render(render).await)
        };
        *last = Some(first.clone());
        drop(last);
        self.after = Some(first.number());
        first
    }

    /// Looks at the conversation until there is something.
    async fn wait<T>(
        &mut self,
        look: impl Fn(&mut Conversation, Option<u64>) -> Option<T>,
    ) -> Option<T> {
        while !self.is_over {
            self.newest.borrow_and_update();
            let (found, is_closed) = self.shared.with(|conversation| {
                let found = look(conversation, self.after);
                (found, conversation.is_closed())
            });
            if found.is_some() {
                return found;
            }
            // The sender is in what the viewer itself holds.
            self.is_over = is_closed || self.newest.changed().await.is_err();
        }
        None
    }

    /// The session's ID at this moment.
    pub(crate) fn session(&self) -> SessionId {
        self.shared.id()
    }

    /// The text that distinguishes this conversation from earlier ones of the same session.
    pub fn epoch(&self) -> String {
        self.shared
            .peek(|conversation| conversation.epoch().to_owned())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // The conversation was used until now.
        self.shared.lock().used = Instant::now();
    }
}
