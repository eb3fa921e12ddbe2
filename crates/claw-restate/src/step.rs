//! A step of a turn, which Restate repeats until it has a result. A turn has one step, and one more for each permission
//! request that waited for its answer without a process.

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

/// The beginning of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Begin {
    /// A prompt.
    Prompt(Content),
    /// The answer to the request with which the previous step has ended.
    Answer(Asked, PermissionResult, String),
}

/// A waiting permission request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The ID under which it is answered.
    pub(crate) id: String,
    pub(crate) tool: ToolUseId,
    /// The number of attempts of the step that has ended with this request.
    pub(crate) attempt: u32,
}

/// The way in which a step has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StepOutcome {
    /// The turn has ended.
    Ended(Box<TurnOutcome>),
    /// A permission request waits for its answer, in the store.
    Asks(Asked),
}

impl Step {
    /// A name that no other step has.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.invocation, self.number)
    }
}
