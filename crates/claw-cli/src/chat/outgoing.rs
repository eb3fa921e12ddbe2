//! Sends prompts to claude, one after another.

use std::collections::VecDeque;

use claw_client::Error;
use claw_client::types::message::{Priority, UserMessage};

use super::link::Link;
use super::sent::{Sending, Sent};

/// Maximum total size of the prompts that wait to be written, in bytes. A single prompt may be larger, because prompts
/// have a limit of their own. The stored prompts have the same limit.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A sent prompt that is stored until its turn has ended, because it may have to be sent again.
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
    /// The total size of the stored prompts, in bytes.
    kept: usize,
}

impl Outgoing {
    /// Adds a prompt. `bytes` is its size. If `keep` is set, the prompt is stored until its turn has ended. Returns
    /// `false` if the prompt does not fit into the limit.
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

    /// Adds a prompt that was sent before. The prompt is not stored again.
    pub(super) fn push_again(&mut self, kept: Kept) {
        self.kept -= kept.bytes;
        self.bytes += kept.bytes;
        let mut prompt = *kept.prompt;
        // The CLI does not run a prompt that has the UUID of an earlier one, so the prompt is sent again without it.
        prompt.uuid = None;
        self.waiting.push_back((prompt, kept.bytes, false));
    }

    /// Frees the space of a stored prompt.
    pub(super) fn release(&mut self, kept: &Kept) {
        self.kept -= kept.bytes;
    }

    /// Starts writing the next prompt, unless a prompt is being written. Returns whether a prompt is being written now.
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

    /// Waits until the current prompt is written. Never completes if no prompt is being written. Cancel safe.
    pub(super) async fn sent(&mut self) -> Result<(Sent, Option<Kept>), Error> {
        let Some((sending, bytes, _)) = &mut self.sending else {
            return std::future::pending().await;
        };
        let (sent, bytes) = (sending.await, *bytes);
        let kept = self.sending.take().and_then(|(_, _, kept)| kept);
        self.bytes -= bytes;
        Ok((sent?, kept))
    }

    /// Returns the number of prompts that are not sent yet.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) fn count(&self) -> usize {
        self.waiting.len() + usize::from(self.sending.is_some())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sending.is_none() && self.waiting.is_empty()
    }
}
