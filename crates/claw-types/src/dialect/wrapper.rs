//! What a wrapper service says to its own client. `claude` neither writes nor reads it.

use claw_types_derive::Wire;

use super::upgrade::Old;
use super::{Fill, Today, UpgradeError};
use crate::{Count, Extra, Number};

/// A wrapper's answer to its client.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "claude_response"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClaudeResponse {
    /// What `claude` said.
    pub content: String,
    /// The client's name for the session.
    pub conversation_id: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far the work is, taken from what `claude` said.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "progress_update"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// What is done now.
    pub current_step: String,
    /// Steps that are done.
    pub completed_steps: Count,
    /// All steps.
    pub total_steps: Count,
    /// The same in percent.
    pub percentage: Number,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
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
