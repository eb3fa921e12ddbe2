//! The inputs and outputs of the handlers of a session. All of them are JSON.

use claw_types::api::{Content, Usage};
use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::{Json, SessionId};
use serde::{Deserialize, Serialize};

/// The input of `prompt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptRequest {
    /// The prompt: text, or a list of content blocks.
    pub prompt: Content,
}

/// The output of `prompt`: the result of the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TurnOutcome {
    /// The ID of the session. After `/clear`, it differs from the ID of the session that got the prompt.
    pub session_id: SessionId,
    /// The text of the answer, or of the error message.
    pub text: String,
    /// Whether the text was cut because it was longer than a result may be.
    pub is_cut: bool,
    /// Whether the turn failed. It then has no answer, or an answer that describes a failure of the API.
    pub is_error: bool,
    /// Whether the turn was interrupted.
    pub is_interrupted: bool,
    /// The structured output, if the options request it. If it is longer than a result may be, it is left out, and
    /// `is_cut` is `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Json>,
    /// The number of times that the turn was begun. It is 1 for a turn that was not aborted.
    pub attempt: u32,
    /// Whether an earlier attempt was aborted. The effects of its tools may have happened twice.
    pub is_repeated: bool,
    /// The epoch of the claim under which the turn ran. The claims of later attempts have higher epochs.
    pub epoch: u64,
    /// The number of answers of the model in this turn.
    pub num_turns: u64,
    /// The cost of the turn's process in dollars, according to an estimate by claude. Aborted attempts are not
    /// included.
    pub total_cost_usd: f64,
    /// The numbers of tokens that the turn used.
    pub usage: Usage,
}

/// The output of `status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionStatus {
    /// Whether the store contains a conversation of this session.
    pub is_stored: bool,
    /// The owner of the claim on the session. It is a worker that runs a turn, or another program. Absent if the
    /// session is not claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The address of the worker that runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The permission requests that wait for an answer, beginning with the oldest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<WaitingRequest>,
}

/// A permission request that waits for its answer while no process is running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WaitingRequest {
    /// The ID under which the request is answered.
    pub id: String,
    /// The request, in the form in which claude sent it.
    pub request: CanUseTool,
}

/// The input of `answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct AnswerRequest {
    /// The ID of the request: [`WaitingRequest::id`].
    pub id: String,
    /// The answer.
    pub decision: PermissionResult,
    /// The name of the person who answers. If a later answer is refused, the response to it contains this name.
    pub by: String,
}

/// The output of `answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answered {
    /// Whether this answer was accepted. Only the first answer to a request is accepted.
    pub counts: bool,
    /// The value of `by` in the accepted answer. `nobody` if the request was denied because no answer arrived in time.
    pub by: String,
}

/// The output of `interrupt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Interrupted {
    /// Whether a turn was running. Its result shows whether the interrupt came in time.
    pub was_running: bool,
}

impl PromptRequest {
    /// Creates a request.
    pub fn new(prompt: impl Into<Content>) -> Self {
        Self {
            prompt: prompt.into(),
        }
    }
}
