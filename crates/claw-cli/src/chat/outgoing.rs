//! Sends prompts to claude in their order.

use std::collections::VecDeque;

use claw_client::Error;
use claw_client::types::message::{Priority, UserMessage};

use super::link::Link;
use super::sent::{Sending, Sent};

/// Maximum size of the prompts that wait to be written, in bytes. A single prompt may be larger, because prompts have
/// their own limit. The prompts that are kept have the same limit.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A sent prompt that is kept until its turn has ended, because it may have to be sent again.
pub(super) struct Kept {
    prompt: Box<UserMessage>,
    bytes: usize,
}

/// The prompts that are not written yet.
#[derive(Default)]
pub(super) struct Outgoing {
    waiting: VecDeque<(UserMessage, usize, bool)>,
    bytes: usize,
    sending: Option<(Sending, usize, Option<Kept>)>,
    /// The size of the prompts that are kept.
    kept: usize,
}

impl Outgoing {
    /// Adds a prompt of this many bytes, which is kept if `keep` is set. `false` if it does not fit into the limit.
    pub(super) fn push(
        &mut self,
        prompt: UserMessage,
        bytes: usize,
        later: bool,
        keep: bool,
    ) -> bool {
        if self.bytes > 0 && self.bytes + bytes > MAX_BYTES {
            return false;
        }
        let prompt = if later {
            prompt.priority(Priority::Later)
        } else {
            prompt
        };
        self.bytes += bytes;
        self.waiting.push_back((prompt, bytes, keep));
        true
    }

    /// Adds a prompt that was sent before. It is not kept.
    pub(super) fn push_again(&mut self, kept: Kept) {
        self.kept -= kept.bytes;
        self.bytes += kept.bytes;
        let mut prompt = *kept.prompt;
        // The CLI does not run a prompt that has the UUID of an earlier one.
        prompt.uuid = None;
        self.waiting.push_back((prompt, kept.bytes, false));
    }

    /// Drops a prompt that was kept.
    pub(super) fn release(&mut self, kept: &Kept) {
        self.kept -= kept.bytes;
    }

    /// Starts to write the next prompt, unless one is being written. Returns whether one is being written.
    pub(super) fn begin(&mut self, link: &Link<'_>) -> bool {
        if self.sending.is_none()
            && let Some((prompt, bytes, keep)) = self.waiting.pop_front()
        {
            let keep = keep && (self.kept == 0 || self.kept + bytes <= MAX_BYTES);
            let kept = keep.then(|| {
                self.kept += bytes;
                let prompt = Box::new(prompt.clone());
                Kept { prompt, bytes }
            });
            self.sending = Some((link.send(prompt), bytes, kept));
        }
        self.sending.is_some()
    }

    /// Waits until the prompt is written. Cancel safe. Never ends if none is being written.
    pub(super) async fn sent(&mut self) -> Result<(Sent, Option<Kept>), Error> {
        let Some((sending, bytes, _)) = &mut self.sending else {
            return std::future::pending().await;
        };
        let (sent, bytes) = (sending.await, *bytes);
        let kept = self.sending.take().and_then(|(_, _, kept)| kept);
        self.bytes -= bytes;
        Ok((sent?, kept))
    }

    /// The number of prompts that are not sent yet.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn count(&self) -> usize {
        self.waiting.len() + usize::from(self.sending.is_some())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sending.is_none() && self.waiting.is_empty()
    }
}
