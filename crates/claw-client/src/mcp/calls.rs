//! Who waits for what a server answers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use claw_types::Json;
use rmcp::model::RequestId;
use tokio::sync::oneshot;

/// A server's answer; `None` where its call was cancelled.
pub(super) type Answer = Option<Json>;

/// The calls that a server works on.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The server is gone.
    over: bool,
    waiting: HashMap<RequestId, oneshot::Sender<Answer>>,
}

impl Calls {
    /// What a call's answer comes by. Never, where the server is gone.
    pub(super) fn open(&self, id: RequestId) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        let mut state = self.state();
        if !state.over {
            state.waiting.insert(id, answer);
        }
        answered
    }

    /// The answer is there.
    pub(super) fn close(&self, id: &RequestId, answer: Answer) {
        let waiting = self.state().waiting.remove(id);
        if let Some(waiting) = waiting {
            // The caller may be gone.
            let _ = waiting.send(answer);
        }
    }

    /// Whether somebody waits for this answer.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.state().waiting.contains_key(id)
    }

    /// Nobody waits for the answer any more. `false` if it is there, or nobody did.
    pub(super) fn forget(&self, id: &RequestId) -> bool {
        self.state().waiting.remove(id).is_some()
    }

    /// No answer comes any more.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.over = true;
        state.waiting.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
