//! `assistant` messages that have fewer fields than the current form, or that have some fields in another place.

use super::block::upgraded;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, OldContentBlock, Today, UpgradeError};
use crate::api::{Role, StopReason, Usage};
use crate::message::AssistantMessageError;
use crate::{ApiMessageId, Count, Number, ToolUseId, Tri};

/// An old form of an assistant message. Only its content is always present: all other fields can be absent.
#[wire(tag(type = "assistant"))]
pub struct OldAssistant {
    /// The response from the model.
    pub message: OldAnswer,
    /// The ID of the tool use that started the sub-agent, if a sub-agent wrote the message. Null or absent for the main
    /// conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
    /// The kind of API error. Absent if the API gave a response.
    pub error: Option<AssistantMessageError>,
    /// The duration of the API request, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The number that a program assigned to this line when it stored the line.
    pub id: Option<Count>,
    /// The time of the message, in ISO 8601.
    pub timestamp: Option<String>,
    /// The git branch that was checked out when the message was written.
    pub git_branch: Option<String>,
    /// Whether the message is the summary that replaced the conversation in a compaction.
    pub is_context_compaction: Option<bool>,
}

/// A response from the model in an old form. Only its content is always present: all other fields can be absent.
#[wire]
pub struct OldAnswer {
    /// The type of the response: `message`. May be absent.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The ID of the response.
    pub id: Option<ApiMessageId>,
    /// The role: `assistant`. May be absent.
    pub role: Option<Role>,
    /// The model that wrote the response.
    pub model: Option<String>,
    /// The content blocks of the response.
    pub content: Vec<OldContentBlock>,
    /// The reason why the model stopped.
    pub stop_reason: Tri<StopReason>,
    /// The stop sequence at which the response stopped. Null or absent if it stopped for another reason.
    pub stop_sequence: Tri<String>,
    /// The token usage. If it is absent, all token counts of the upgraded message are 0.
    pub usage: Option<Usage>,
}

impl Old for OldAssistant {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let answer = answer(Draft::of(&self.message), &self.message.content, fill)?;
        line.set("message", &answer);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}

/// Completes a response.
pub(super) fn answer(
    mut answer: Draft,
    content: &[OldContentBlock],
    fill: &Fill,
) -> Result<Draft, UpgradeError> {
    answer.fill("type", "message");
    answer.fill("role", &Role::Assistant);
    answer.need("id", "message_id", fill.message_id.as_ref())?;
    answer.need("model", "model", fill.model.as_ref())?;
    answer.set("content", &upgraded(content, fill)?);
    answer.nullable("stop_reason");
    answer.nullable("stop_sequence");
    answer.fill("usage", &no_usage());
    Ok(answer)
}

/// The usage of a response whose tokens were not counted.
pub(super) fn no_usage() -> Usage {
    Usage::new(0).input_tokens(0)
}
