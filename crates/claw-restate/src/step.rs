//! A step of a turn. Restate repeats a step until the step has a result. A turn has one step, and an additional step
//! for each permission request that waited for its answer without a process.

use claw_types::ToolUseId;
use claw_types::api::Content;
use claw_types::control::PermissionResult;
use serde::{Deserialize, Serialize};

use crate::TurnOutcome;

/// A step to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    /// The invocation of the turn.
    pub(crate) invocation: String,
    /// The number of the step in the turn.
    pub(crate) number: u32,
    pub(crate) begin: Begin,
}

/// The input with which a step begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Begin {
    /// A prompt.
    Prompt(Content),
    /// The answer to the request with which the previous step has ended: the request, the decision, and the name of the
    /// person who answered.
    Answer(Asked, PermissionResult, String),
}

/// A permission request that waits for its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The ID under which the request is answered.
    pub(crate) id: String,
    pub(crate) tool: ToolUseId,
    /// The number of attempts of the step that ended with this request.
    pub(crate) attempt: u32,
}

/// The way in which a step has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StepOutcome {
    /// The turn has ended.
    Ended(Box<TurnOutcome>),
    /// A permission request waits in the store for its answer.
    Asks(Asked),
}

impl Step {
    /// Returns the name of the step. No other step has the same name.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.invocation, self.number)
    }
}
