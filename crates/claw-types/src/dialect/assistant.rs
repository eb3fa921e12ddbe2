//! `assistant` with less than today's, or with an envelope of somebody's own.

use super::block::upgraded;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, OldContentBlock, Today, UpgradeError};
use crate::api::{Role, StopReason, Usage};
use crate::message::AssistantMessageError;
use crate::{ApiMessageId, Count, Number, ToolUseId, Tri};

/// An answer of which only the content is certain.
#[wire(tag(type = "assistant"))]
pub struct OldAssistant {
    /// The answer.
    pub message: OldAnswer,
    /// The tool use whose sub-agent speaks; null or absent for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
    /// Why the API gave no answer.
    pub error: Option<AssistantMessageError>,
    /// How long the API took, in milliseconds.
    pub duration_ms: Option<Number>,
    /// Numbers the line in somebody's store.
    pub id: Option<Count>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// The branch that was checked out.
    pub git_branch: Option<String>,
    /// Whether the line is the summary of what came before.
    pub is_context_compaction: Option<bool>,
}

/// An answer: its content, and what else the line says.
#[wire]
pub struct OldAnswer {
    /// `message`, where it is said.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// Names the answer.
    pub id: Option<ApiMessageId>,
    /// `assistant`, where it is said.
    pub role: Option<Role>,
    /// The model that answered.
    pub model: Option<String>,
    /// What it says.
    pub content: Vec<OldContentBlock>,
    /// Why it stopped.
    pub stop_reason: Tri<StopReason>,
    /// The stop sequence that it wrote, if it stopped for one.
    pub stop_sequence: Tri<String>,
    /// Tokens. Absent: not counted, which today is 0.
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

/// Makes an answer whole.
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

/// Nothing was counted.
pub(super) fn no_usage() -> Usage {
    Usage::new(0).input_tokens(0)
}
