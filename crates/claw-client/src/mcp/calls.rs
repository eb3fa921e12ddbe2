//! The calls to a server whose answers are awaited.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use claw_types::Json;
use rmcp::model::RequestId;
use tokio::sync::oneshot;

/// The answer of a server. `None` if its call was cancelled.
pub(super) type Answer = Option<Json>;

/// The calls that a server is processing.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Whether the server's task has ended.
    has_ended: bool,
    waiting: HashMap<RequestId, oneshot::Sender<Answer>>,
}

impl Calls {
    /// Opens a call and returns the receiver of its answer. If the server's task has ended, no
    /// answer arrives.
    pub(super) fn open(&self, id: RequestId) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        let mut state = self.state();
        if !state.has_ended {
            state.waiting.insert(id, answer);
        }
        answered
    }

    /// Completes a call with its answer.
    pub(super) fn close(&self, id: &RequestId, answer: Answer) {
        let waiting = self.state().waiting.remove(id);
        if let Some(waiting) = waiting {
            // If the caller no longer waits, sending fails. The error is ignored.
            let _ = waiting.send(answer);
        }
    }

    /// Whether the answer of this call is awaited.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.state().waiting.contains_key(id)
    }

    /// Removes a call whose answer is no longer awaited. Returns `false` if it was answered
    /// already, or is unknown.
    pub(super) fn forget(&self, id: &RequestId) -> bool {
        self.state().waiting.remove(id).is_some()
    }

    /// Ends all calls without an answer.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        state.waiting.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
