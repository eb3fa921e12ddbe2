//! Prompts of a conversation that wait for the reset of a usage limit, and are sent again.

use std::future::pending;
use std::time::{Duration, SystemTime};

use claw_client::{LimitWait, TurnResult};
use tokio::time::{Instant, sleep_until};

use super::outgoing::Kept;

/// The prompts that wait.
pub(super) struct Limited {
    /// The maximum wait. `None`: a turn that ends at a limit fails.
    longest: Option<Duration>,
    waiting: Vec<Kept>,
    /// The wait, and the time of its end.
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

    /// Whether prompts may wait.
    pub(super) fn is_used(&self) -> bool {
        self.longest.is_some()
    }

    /// Makes a prompt wait whose turn has this result. Returns the wait, or else the prompt.
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

    /// The wait, while a prompt waits.
    pub(super) fn wait(&self) -> Option<LimitWait> {
        self.wait.map(|(wait, _)| wait)
    }

    /// Completes when the prompts are to be sent again. Never, if none waits.
    pub(super) async fn due(&self) {
        match self.wait {
            Some((_, due)) => sleep_until(due).await,
            None => pending().await,
        }
    }

    /// Takes the prompts that wait, oldest first.
    pub(super) fn take(&mut self) -> Vec<Kept> {
        self.wait = None;
        std::mem::take(&mut self.waiting)
    }
}
