//! `assistant` and `user` as an SDK's own structs have them: no object `message`, its fields beside
//! the tag.

use super::assistant::answer;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::user::prompt;
use super::{Fill, OldContent, OldContentBlock, Today, UpgradeError};
use crate::api::{Role, StopReason, Usage};
use crate::{ApiMessageId, ToolUseId, Tri};

/// An answer, its fields beside the tag.
#[wire(tag(type = "assistant"))]
pub struct FlatAssistant {
    /// Names the answer.
    pub message_id: Option<ApiMessageId>,
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
    /// The tool use whose sub-agent speaks; null or absent for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
}

impl Old for FlatAssistant {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let mut message = Draft::default();
        line.give(
            &["role", "model", "stop_reason", "stop_sequence", "usage"],
            &mut message,
        );
        line.rename("message_id", "id");
        line.give(&["id"], &mut message);
        line.remove("content");
        line.set("message", &answer(message, &self.content, fill)?);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}

/// What the user said, or a tool on the user's behalf; its fields beside the tag.
#[wire(tag(type = "user"))]
pub struct FlatUser {
    /// `user`, where it is said.
    pub role: Option<Role>,
    /// What is said.
    pub content: OldContent,
    /// The tool use whose sub-agent is spoken to; null or absent for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
}

impl Old for FlatUser {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let mut message = Draft::default();
        line.give(&["role", "content"], &mut message);
        line.set("message", &prompt(message, &self.content, fill)?);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}
