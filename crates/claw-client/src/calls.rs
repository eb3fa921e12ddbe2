//! Who waits for the answers to our control requests.

use std::collections::HashMap;

use claw_types::Json;
use tokio::sync::oneshot;

use crate::Error;
use crate::engine::{CallId, INITIALIZE};

/// How a call ended.
pub(crate) type Answer = Result<Option<Json>, Error>;

#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: HashMap<CallId, oneshot::Sender<Answer>>,
}

impl Calls {
    /// With somebody who waits for the handshake.
    pub(crate) fn new(initialized: Option<oneshot::Sender<Answer>>) -> Self {
        let waiting = initialized
            .map(|answer| (INITIALIZE, answer))
            .into_iter()
            .collect();
        Self { waiting }
    }

    pub(crate) fn open(&mut self, call: CallId, answer: oneshot::Sender<Answer>) {
        self.waiting.insert(call, answer);
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn forget(&mut self, call: CallId) {
        self.waiting.remove(&call);
    }

    pub(crate) fn answer(&mut self, call: CallId, answer: Answer) {
        if let Some(waiting) = self.waiting.remove(&call) {
            // Whoever asked may be gone.
            let _ = waiting.send(answer);
        }
    }
}
