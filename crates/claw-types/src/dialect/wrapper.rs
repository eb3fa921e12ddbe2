//! Messages that a wrapper service around `claude` sends to its own client. `claude` itself neither writes nor reads
//! them.

use super::upgrade::Old;
use super::{Fill, Today, UpgradeError};
use crate::{Count, Number};

/// A response that a wrapper service around `claude` sends to its own client.
#[wire(tag(type = "claude_response"), rename_all = "camelCase")]
pub struct ClaudeResponse {
    /// The text of the response from `claude`.
    pub content: String,
    /// The ID of the conversation, which the client of the wrapper service chose.
    pub conversation_id: String,
}

/// A progress report that a wrapper service around `claude` sends to its own client. The wrapper derives the report
/// from the text of the response.
#[wire(tag(type = "progress_update"), rename_all = "camelCase")]
pub struct ProgressUpdate {
    /// The name of the current step.
    pub current_step: String,
    /// The number of completed steps.
    pub completed_steps: Count,
    /// The total number of steps.
    pub total_steps: Count,
    /// The progress in percent.
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
