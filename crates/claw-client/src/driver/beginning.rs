//! Handles the response to the handshake, and the events before this response.

use claw_transport::Shutdown;

use super::{Driver, EndCondition};
use crate::driver::initialize::is_object;
use crate::engine::INITIALIZE;
use crate::outcome::error::Cause;
use crate::outcome::version::is_too_old;
use crate::waiting::calls::Answer;

impl Driver {
    pub(super) fn initialized(&mut self, answer: Answer) {
        // If the session has already ended, this response must not begin it.
        let ended = self.engine.is_ended();
        if !ended {
            self.begin();
        }
        let answer = answer.and_then(|payload| {
            if let Some(payload) = &payload {
                is_object(payload)?;
            }
            let shared = self.shared.upgrade();
            if let (Some(shared), Some(payload)) = (&shared, &payload) {
                shared.initialized(payload);
            }
            let info = shared.as_ref().and_then(|shared| shared.info());
            let version = info.and_then(|info| info.claude_code_version.as_deref());
            if let Some(found) = version.filter(|found| is_too_old(found)) {
                let found = found.to_owned();
                return Err(Cause::CliTooOld { found }.into());
            }
            match std::mem::take(&mut self.confirm).missing(info) {
                Some(option) => Err(Cause::NotTaken { option }.into()),
                None => Ok(payload),
            }
        });
        match &answer {
            Ok(_) => {
                for prompt in std::mem::take(&mut self.held) {
                    self.prompt(prompt);
                }
            }
            Err(_) if ended => {}
            Err(error) => self.refuse(error.clone()),
        }
        self.waiting.answer(INITIALIZE, answer);
    }

    pub(super) fn run_ended(&mut self) {
        match self.ends {
            // Another prompt is queued, so the session does not end yet.
            _ if !self.queue.is_empty() => {}
            EndCondition::WithItsPrompt | EndCondition::WithTheLastPrompt { came: true } => {
                self.close(Shutdown::default());
            }
            EndCondition::Never | EndCondition::WithTheLastPrompt { came: false } => {}
        }
    }

    /// Handles the response to the handshake. Delivers a result that arrived before the response.
    pub(super) fn begin(&mut self) {
        self.begun = true;
        self.early_result();
        let ended = std::mem::take(&mut self.ended_early);
        if ended && self.held.is_empty() && self.engine.is_at_rest() {
            self.run_ended();
        }
    }

    pub(super) fn early_result(&mut self) {
        if let Some((turns, own, item)) = self.early.take() {
            self.result(&turns, own.as_ref(), &item);
        }
    }
}
