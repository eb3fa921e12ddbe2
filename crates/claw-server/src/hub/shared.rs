//! What a live conversation, its driver and its viewers share: the room, and who waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_client::ToolPermissionRequest;
use claw_client::types::control::PermissionResult;
use claw_types::SessionId;
use tokio::sync::{oneshot, watch};

use super::prompts::Prompts;
use super::within::Within;
use crate::room::{Answer, AnswerError, Answered, Next, Room};

/// The room of a live conversation, behind a lock that is never held over an `await`.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The session's ID, which `/clear` changes.
    id: Mutex<SessionId>,
    /// The name of the project.
    pub(crate) project: String,
    inside: Mutex<Inside>,
    newest: watch::Sender<u64>,
    /// How long a request waits for an answer. `None`: there is nobody to ask.
    answer_limit: Option<Duration>,
    /// Apart from the room: a mark is a file, and writing one must not hold up those who look at the room.
    pub(super) prompts: Prompts,
    /// What suggested changes of the permissions may bring about.
    within: Within,
}

#[derive(Debug)]
struct Inside {
    room: Room,
    /// The callbacks that wait for an answer, by the ID of the request.
    waiting: HashMap<String, oneshot::Sender<PermissionResult>>,
    /// When something was done with the room last.
    used: Instant,
}

impl Shared {
    pub(super) fn new(
        room: Room,
        id: SessionId,
        project: String,
        answer_limit: Option<Duration>,
        prompts: Prompts,
        within: Within,
    ) -> Self {
        let newest = watch::Sender::new(room.newest());
        let inside = Inside {
            room,
            waiting: HashMap::new(),
            used: Instant::now(),
        };
        Self {
            id: Mutex::new(id),
            project,
            inside: Mutex::new(inside),
            newest,
            answer_limit,
            prompts,
            within,
        }
    }

    /// The session's ID at this moment.
    pub(crate) fn id(&self) -> SessionId {
        self.id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The conversation goes on under another ID.
    pub(super) fn moved(&self, to: &SessionId) {
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = to.clone();
        self.with(|room| room.moved(to));
    }

    /// Does something with the room, and wakes viewers if something happened.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Room) -> T) -> T {
        self.inside(|inside| what(&mut inside.room))
    }

    fn inside<T>(&self, what: impl FnOnce(&mut Inside) -> T) -> T {
        let mut inside = self.lock();
        let done = what(&mut inside);
        inside.used = Instant::now();
        // Under the lock, so that the number never goes back.
        let newest = inside.room.newest();
        self.newest.send_if_modified(|known| {
            let is_newer = *known != newest;
            *known = newest;
            is_newer
        });
        done
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the room, which does not count as using it.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Room) -> T) -> T {
        look(&self.lock().room)
    }

    /// When the conversation was used last. `None` while somebody looks at it, or a turn or a request waits.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let inside = self.lock();
        let is_used = self.newest.receiver_count() > 0
            || inside.room.state().queued > 0
            || inside.room.requests().next().is_some();
        (!is_used).then_some(inside.used)
    }

    /// Has a person decide. Denies if nobody does. If it is dropped, the request is withdrawn.
    pub(crate) async fn decide(
        self: Arc<Self>,
        request: ToolPermissionRequest,
    ) -> PermissionResult {
        let Some(limit) = self.answer_limit else {
            return PermissionResult::deny("nobody is here who could allow it");
        };
        let mut body = request.body;
        // Whatever the project does not allow is neither offered nor applied.
        if let Some(suggestions) = &mut body.permission_suggestions {
            suggestions.retain(|suggestion| self.within.allows(suggestion));
        }
        let id = uuid::Uuid::new_v4().to_string();
        let (sender, mut answer) = oneshot::channel();
        let asked = self.inside(|inside| {
            inside.room.ask(id.clone(), body)?;
            inside.waiting.insert(id.clone(), sender);
            Ok::<_, &str>(())
        });
        if let Err(reason) = asked {
            return PermissionResult::deny(reason);
        }
        let asked = Asked { shared: self, id };
        match tokio::time::timeout(limit, &mut answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => PermissionResult::deny("the session is closed"),
            Err(_) => {
                asked.shared.withdraw(&asked.id, "timeout");
                // Answered in the very last moment: whoever answered was told that it counts.
                let last = answer.try_recv();
                last.unwrap_or_else(|_| PermissionResult::deny("nobody answered in time"))
            }
        }
    }

    fn withdraw(&self, id: &str, by: &str) {
        self.inside(|inside| {
            inside.waiting.remove(id);
            inside.room.withdraw(id, by);
        });
    }

    /// Answers a request. The first answer counts.
    pub(crate) fn answer(
        &self,
        id: &str,
        answer: &Answer,
        by: &str,
    ) -> Result<Answered, AnswerError> {
        self.inside(|inside| {
            if inside
                .waiting
                .get(id)
                .is_some_and(oneshot::Sender::is_closed)
            {
                // The CLI has taken it back, and its callback is being dropped.
                inside.room.withdraw(id, "withdrawn");
            }
            let (answered, result) = inside.room.answer(id, answer, by)?;
            // A callback that is gone by now has denied: nobody is left to be allowed anything.
            if let Some(sender) = inside.waiting.remove(id) {
                let _ = sender.send(result);
            }
            Ok(answered)
        })
    }

    /// Closes the room. What waits is denied. Viewers are told which prompts are not answered and have a mark.
    pub(crate) fn close(&self) {
        let unanswered = self.prompts.unanswered();
        self.inside(|inside| {
            inside.waiting.clear();
            inside.room.cut_off(unanswered);
            inside.room.close();
        });
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

/// Withdraws a request when its callback is dropped.
struct Asked {
    shared: Arc<Shared>,
    id: String,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.shared.withdraw(&self.id, "withdrawn");
    }
}

/// How many events a viewer takes at once.
const AT_ONCE: usize = 64;

/// A viewer of a conversation: a place in its log. It has no queue of its own.
#[derive(Debug)]
pub struct Viewer {
    shared: Arc<Shared>,
    newest: watch::Receiver<u64>,
    after: Option<u64>,
    is_over: bool,
}

impl Viewer {
    /// What follows, at least one event. Waits for it. `None` after the end of the conversation here.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Option<Next> {
        while !self.is_over {
            self.newest.borrow_and_update();
            let (next, is_closed) = self
                .shared
                .with(|room| (room.next(self.after, AT_ONCE), room.is_closed()));
            match &next {
                Next::Reset(number, _) => {
                    self.after = Some(*number);
                    return Some(next);
                }
                Next::Events(events) => {
                    if let Some(last) = events.last() {
                        self.after = Some(last.number);
                        return Some(next);
                    }
                }
            }
            // The sender is in what the viewer itself holds.
            self.is_over = is_closed || self.newest.changed().await.is_err();
        }
        None
    }

    /// What tells the conversation's room from an earlier one of the same session.
    pub fn epoch(&self) -> String {
        self.shared.look(|room| room.epoch().to_owned())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // The conversation was used until now.
        self.shared.lock().used = Instant::now();
    }
}
