//! Who waits for the answers to calls.

use std::collections::HashMap;

use claw_types::Json;
use tokio::sync::oneshot;

use crate::Error;
use crate::engine::{CallId, INITIALIZE};

/// How a call ended.
pub(crate) type Answer = Result<Option<Json>, Error>;

#[derive(Debug, Default)]
pub(crate) struct Waiting {
    answers: HashMap<CallId, oneshot::Sender<Answer>>,
}

impl Waiting {
    /// With somebody who waits for the handshake.
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

    /// Nobody waits for the answer any more.
    pub(crate) fn forget(&mut self, call: CallId) {
        self.answers.remove(&call);
    }

    pub(crate) fn answer(&mut self, call: CallId, answer: Answer) {
        if let Some(waiting) = self.answers.remove(&call) {
            // The caller may be gone.
            let _ = waiting.send(answer);
        }
    }
}
