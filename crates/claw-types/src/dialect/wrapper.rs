//! What a wrapper service says to its own client. `claude` neither writes nor reads it.

use super::upgrade::Old;
use super::{Fill, Today, UpgradeError};
use crate::{Count, Number};

/// A wrapper's answer to its client.
#[wire(tag(type = "claude_response"), rename_all = "camelCase")]
pub struct ClaudeResponse {
    /// What `claude` said.
    pub content: String,
    /// The client's name for the session.
    pub conversation_id: String,
}

/// How far the work is, taken from what `claude` said.
#[wire(tag(type = "progress_update"), rename_all = "camelCase")]
pub struct ProgressUpdate {
    /// What is done now.
    pub current_step: String,
    /// Steps that are done.
    pub completed_steps: Count,
    /// All steps.
    pub total_steps: Count,
    /// The same in percent.
    pub percentage: Number,
}

const WHY: &str = "a wrapper says it to its own client";

impl Old for ClaudeResponse {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        Err(UpgradeError::NoCounterpart {
            form: "claude_response",
            why: WHY,
        })
    }
}

impl Old for ProgressUpdate {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        Err(UpgradeError::NoCounterpart {
            form: "progress_update",
            why: WHY,
        })
    }
}
