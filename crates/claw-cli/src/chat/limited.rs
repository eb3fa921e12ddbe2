//! Holds the prompts of a conversation that wait for the reset of a usage limit. After the reset, they are sent again.

use std::future::pending;
use std::time::{Duration, SystemTime};

use claw_client::{LimitWait, TurnResult};
use tokio::time::{Instant, sleep_until};

use super::outgoing::Kept;

/// The prompts that wait for the reset of a usage limit.
pub(super) struct Limited {
    /// The maximum duration of a wait. `None` means that prompts do not wait: a turn that ends at a limit fails.
    longest: Option<Duration>,
    waiting: Vec<Kept>,
    /// The current wait, and the time at which it ends.
    wait: Option<(LimitWait, Instant)>,
}

impl Limited {
    pub(super) fn new(longest: Option<Duration>) -> Self {
        Self {
            longest,
            waiting: Vec::new(),
            wait: None,
        }
    }

    /// Returns whether prompts may wait.
    pub(super) fn is_used(&self) -> bool {
        self.longest.is_some()
    }

    /// Makes a prompt wait if its turn has ended at a limit. Returns the wait. If the prompt cannot wait, fails with
    /// the prompt.
    pub(super) fn add(
        &mut self,
        prompt: Kept,
        result: &TurnResult,
        reset: Option<SystemTime>,
    ) -> Result<LimitWait, Kept> {
        let wait = self
            .longest
            .and_then(|longest| LimitWait::after(result, reset, longest));
        let Some(wait) = wait else {
            return Err(prompt);
        };
        self.waiting.push(prompt);
        self.wait = Some((wait, Instant::now() + wait.left));
        Ok(wait)
    }

    /// Returns the current wait. Returns `None` if no prompt waits.
    pub(super) fn wait(&self) -> Option<LimitWait> {
        self.wait.map(|(wait, _)| wait)
    }

    /// Completes when the waiting prompts must be sent again. Never completes if no prompt waits.
    pub(super) async fn due(&self) {
        match self.wait {
            Some((_, due)) => sleep_until(due).await,
            None => pending().await,
        }
    }

    /// Removes and returns the waiting prompts, oldest first.
    pub(super) fn take(&mut self) -> Vec<Kept> {
        self.wait = None;
        std::mem::take(&mut self.waiting)
    }
}
