//! A step of a turn: what Restate repeats until it has a result. A turn is one step, and one more for each permission
//! request that waited for its answer without a process.

use claw_types::ToolUseId;
use claw_types::api::Content;
use claw_types::control::PermissionResult;
use serde::{Deserialize, Serialize};

use crate::TurnOutcome;

/// A step that is to be run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    /// The invocation of the turn.
    pub(crate) invocation: String,
    /// The number of the step in the turn.
    pub(crate) number: u32,
    pub(crate) begin: Begin,
}

/// With what a step begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Begin {
    /// A prompt.
    Prompt(Content),
    /// The answer to the request with which the step before has ended.
    Answer(Asked, PermissionResult, String),
}

/// A permission request that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The ID under which it is answered.
    pub(crate) id: String,
    pub(crate) tool: ToolUseId,
    /// How often the step was begun that has ended with it.
    pub(crate) attempt: u32,
}

/// How a step has ended.
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
