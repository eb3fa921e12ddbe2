//! Sends prompts to claude in their order.

use std::collections::VecDeque;
use std::pin::Pin;

use claw_client::types::message::Priority;
use claw_client::{Error, Prompt, Session, Turn};

/// Maximum size of the prompts that wait to be written, in bytes. A single prompt may be larger, because prompts have
/// their own limit.
const MAX_BYTES: usize = 16 * 1024 * 1024;

type Sending = Pin<Box<dyn Future<Output = Result<Turn, Error>> + Send>>;

/// The prompts that are not written yet.
#[derive(Default)]
pub(super) struct Outgoing {
    waiting: VecDeque<(Prompt, usize)>,
    bytes: usize,
    sending: Option<(Sending, usize)>,
}

impl Outgoing {
    /// Adds a prompt of this many bytes. `false` if it does not fit into the limit.
    pub(super) fn push(&mut self, prompt: Prompt, bytes: usize, later: bool) -> bool {
        if self.bytes > 0 && self.bytes + bytes > MAX_BYTES {
            return false;
        }
        let prompt = if later {
            prompt.priority(Priority::Later)
        } else {
            prompt
        };
        self.bytes += bytes;
        self.waiting.push_back((prompt, bytes));
        true
    }

    /// Starts to write the next prompt, unless one is being written. Returns whether one is being written.
    pub(super) fn begin(&mut self, session: &Session) -> bool {
        if self.sending.is_none()
            && let Some((prompt, bytes)) = self.waiting.pop_front()
        {
            self.sending = Some((Box::pin(session.send(prompt)), bytes));
        }
        self.sending.is_some()
    }

    /// Waits until the prompt is written. Cancel safe. Never ends if none is being written.
    pub(super) async fn sent(&mut self) -> Result<Turn, Error> {
        let Some((sending, bytes)) = &mut self.sending else {
            return std::future::pending().await;
        };
        let (sent, bytes) = (sending.await, *bytes);
        self.sending = None;
        self.bytes -= bytes;
        sent
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sending.is_none() && self.waiting.is_empty()
    }
}
