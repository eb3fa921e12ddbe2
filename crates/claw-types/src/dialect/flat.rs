//! `assistant` and `user` messages without the inner object `message`. The fields of that object are on the same level
//! as `type`. Some SDKs write their messages in this form.

use super::assistant::answer;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::user::prompt;
use super::{Fill, OldContent, OldContentBlock, Today, UpgradeError};
use crate::api::{Role, StopReason, Usage};
use crate::{ApiMessageId, ToolUseId, Tri};

/// An old form of an assistant message. The fields of the model's response are fields of the message itself, and not of
/// an inner object `message`.
#[wire(tag(type = "assistant"))]
pub struct FlatAssistant {
    /// The ID of the response.
    pub message_id: Option<ApiMessageId>,
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
    /// The ID of the tool use that started the sub-agent, if a sub-agent wrote the message. Null or absent for the main
    /// conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
}

impl Old for FlatAssistant {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let mut message = Draft::default();
        line.move_to(
            &["role", "model", "stop_reason", "stop_sequence", "usage"],
            &mut message,
        );
        line.rename("message_id", "id");
        line.move_to(&["id"], &mut message);
        line.remove("content");
        line.set("message", &answer(message, &self.content, fill)?);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}

/// An old form of a user message. The role and the content are fields of the message itself, and not of an inner object
/// `message`.
#[wire(tag(type = "user"))]
pub struct FlatUser {
    /// The role: `user`. May be absent.
    pub role: Option<Role>,
    /// The content of the message.
    pub content: OldContent,
    /// The ID of the tool use that started the sub-agent to which the message belongs. Null or absent for the main
    /// conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
}

impl Old for FlatUser {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let mut message = Draft::default();
        line.move_to(&["role", "content"], &mut message);
        line.set("message", &prompt(message, &self.content, fill)?);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}
