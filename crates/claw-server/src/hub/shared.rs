//! What a live conversation, its driver and its viewers share: the room, and who waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_client::ToolPermissionRequest;
use claw_client::types::control::PermissionResult;
use claw_types::SessionId;
use tokio::sync::{oneshot, watch};

use super::marks::{Mark, Marks};
use crate::room::{Answer, AnswerError, Answered, Next, Room};

/// The room of a live conversation, behind a lock that is never held over an `await`.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) id: SessionId,
    /// The name of the project.
    pub(crate) project: String,
    inside: Mutex<Inside>,
    newest: watch::Sender<u64>,
    /// How long a request waits for an answer.
    answer_limit: Duration,
    marks: Arc<Marks>,
}

#[derive(Debug)]
struct Inside {
    room: Room,
    /// The callbacks that wait for an answer, by the ID of the request.
    waiting: HashMap<String, oneshot::Sender<PermissionResult>>,
    /// Whether a prompt is unanswered.
    is_busy: bool,
    /// There while a prompt is unanswered, unless that cannot be marked.
    mark: Option<Mark>,
}

impl Shared {
    pub(crate) fn new(
        room: Room,
        id: SessionId,
        project: String,
        answer_limit: Duration,
        marks: Arc<Marks>,
    ) -> Self {
        let newest = watch::Sender::new(room.newest());
        let inside = Inside {
            room,
            waiting: HashMap::new(),
            is_busy: false,
            mark: None,
        };
        Self {
            id,
            project,
            inside: Mutex::new(inside),
            newest,
            answer_limit,
            marks,
        }
    }

    /// Does something with the room, and wakes viewers if something happened.
    pub(crate) fn with<T>(&self, what: impl FnOnce(&mut Room) -> T) -> T {
        self.inside(|inside| what(&mut inside.room))
    }

    fn inside<T>(&self, what: impl FnOnce(&mut Inside) -> T) -> T {
        let inside = self.inside.lock();
        let mut inside = inside.unwrap_or_else(PoisonError::into_inner);
        let done = what(&mut inside);
        self.mark(&mut inside);
        // Under the lock, so that the number never goes back.
        let newest = inside.room.newest();
        self.newest.send_if_modified(|known| {
            let is_newer = *known != newest;
            *known = newest;
            is_newer
        });
        done
    }

    /// Marks the conversation while a prompt of it is unanswered.
    fn mark(&self, inside: &mut Inside) {
        let is_busy = inside.room.state().queued > 0;
        if is_busy == inside.is_busy {
            return;
        }
        inside.is_busy = is_busy;
        if is_busy {
            inside.mark = self.marks.begin(&self.id);
        } else if let Some(mark) = inside.mark.take() {
            mark.end();
        }
    }

    /// Forgets that a prompt is unanswered.
    pub(crate) fn unmark(&self) {
        if let Some(mark) = self.inside(|inside| inside.mark.take()) {
            mark.end();
        }
    }

    /// Has a person decide. Denies if nobody does. If it is dropped, the request is withdrawn.
    pub(crate) async fn decide(
        self: Arc<Self>,
        request: ToolPermissionRequest,
    ) -> PermissionResult {
        let id = uuid::Uuid::new_v4().to_string();
        let (sender, mut answer) = oneshot::channel();
        let asked = self.inside(|inside| {
            inside.room.ask(id.clone(), request.body)?;
            inside.waiting.insert(id.clone(), sender);
            Ok::<_, &str>(())
        });
        if let Err(reason) = asked {
            return PermissionResult::deny(reason);
        }
        let asked = Asked { shared: self, id };
        match tokio::time::timeout(asked.shared.answer_limit, &mut answer).await {
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

    /// Closes the room. What waits is denied.
    pub(crate) fn close(&self) {
        self.inside(|inside| {
            inside.waiting.clear();
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
        self.shared.with(|room| room.epoch().to_owned())
    }
}
