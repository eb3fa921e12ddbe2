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
    /// The session. It differs from the one that was asked after `/clear`.
    pub session_id: SessionId,
    /// The text of the answer, or of the failure.
    pub text: String,
    /// Whether the text was longer than a result may be, and is cut.
    pub is_cut: bool,
    /// Whether the turn failed: it has no answer, or one that describes a failure of the API.
    pub is_error: bool,
    /// Whether the turn was interrupted.
    pub is_interrupted: bool,
    /// The structured output, if the options ask for one. It is left out if it is longer than a result may be; `is_cut`
    /// is true then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Json>,
    /// How often the turn was begun: 1 for a turn that was not cut.
    pub attempt: u32,
    /// Whether an earlier attempt was cut. The effects of its tools may have happened twice.
    pub is_repeated: bool,
    /// The epoch of the claim under which the turn ran. A later attempt has a higher one.
    pub epoch: u64,
    /// The answers of the model in this turn.
    pub num_turns: u64,
    /// The cost of the turn's process, in dollars, as estimated by claude. Aborted attempts are not included.
    pub total_cost_usd: f64,
    /// The tokens of the turn.
    pub usage: Usage,
}

/// The output of `status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionStatus {
    /// Whether the store has a conversation of this session.
    pub is_stored: bool,
    /// The owner of the claim on the session: a worker that runs a turn, or another program. Absent if the session is not
    /// claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The address of the worker that runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The permission requests that wait for an answer, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<WaitingRequest>,
}

/// A permission request that waits for an answer, without a process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WaitingRequest {
    /// The ID under which it is answered.
    pub id: String,
    /// The request, as claude has sent it.
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
    /// Who answers. Later answers are refused with this name.
    pub by: String,
}

/// The output of `answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answered {
    /// Whether this answer counts. Only the first answer to a request does.
    pub counts: bool,
    /// The name of the person who gave the answer that counts, as that answer had it in `by`. `nobody` if the request was
    /// denied because no answer came in time.
    pub by: String,
}

/// The output of `interrupt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Interrupted {
    /// Whether a turn ran. Its result says whether the interrupt came in time.
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
