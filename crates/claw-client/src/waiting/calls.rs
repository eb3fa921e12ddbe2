//! The calls whose responses are awaited.

use std::collections::HashMap;

use claw_types::Json;
use tokio::sync::oneshot;

use crate::engine::{CallId, INITIALIZE};
use crate::outcome::error::Error;

/// The outcome of a call.
pub(crate) type Answer = Result<Option<Json>, Error>;

#[derive(Debug, Default)]
pub(crate) struct Waiting {
    answers: HashMap<CallId, oneshot::Sender<Answer>>,
}

impl Waiting {
    /// Creates the list. `initialized` receives the response to the handshake.
    pub(crate) fn new(initialized: Option<oneshot::Sender<Answer>>) -> Self {
        let answers = initialized
            .map(|answer| (INITIALIZE, answer))
            .into_iter()
            .collect();
        Self { answers }
    }

    pub(crate) fn open(&mut self, call: CallId, answer: oneshot::Sender<Answer>) {
        self.answers.insert(call, answer);
    }

    /// Removes a call whose response is no longer awaited.
    pub(crate) fn forget(&mut self, call: CallId) {
        self.answers.remove(&call);
    }

    pub(crate) fn answer(&mut self, call: CallId, answer: Answer) {
        if let Some(waiting) = self.answers.remove(&call) {
            // If the caller no longer waits, sending fails. The error is ignored.
            let _ = waiting.send(answer);
        }
    }
}
