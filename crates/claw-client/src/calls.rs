//! Who waits for the answers to our control requests.

use std::collections::HashMap;

use claw_types::Json;
use tokio::sync::oneshot;

use crate::engine::{CallError, CallId, INITIALIZE};

/// How a call ended.
pub(crate) type Answer = Result<Option<Json>, CallError>;

#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: HashMap<CallId, oneshot::Sender<Answer>>,
    made: u64,
}

impl Calls {
    /// With somebody who waits for the handshake.
    pub(crate) fn new(initialized: Option<oneshot::Sender<Answer>>) -> Self {
        let waiting = initialized
            .map(|answer| (INITIALIZE, answer))
            .into_iter()
            .collect();
        Self { waiting, made: 0 }
    }

    pub(crate) fn open(&mut self, answer: oneshot::Sender<Answer>) -> CallId {
        let call = self.unheard();
        self.waiting.insert(call, answer);
        call
    }

    /// A call for whose answer nobody waits.
    pub(crate) fn unheard(&mut self) -> CallId {
        self.made += 1;
        CallId(self.made)
    }

    pub(crate) fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn answer(&mut self, call: CallId, answer: Answer) {
        if let Some(waiting) = self.waiting.remove(&call) {
            // Whoever asked may be gone.
            let _ = waiting.send(answer);
        }
    }
}
