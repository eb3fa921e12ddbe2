//! `user` messages that have fewer fields than the current form, or that have some fields in another place.

use super::block::upgraded;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, OldContent, Today, UpgradeError};
use crate::api::Role;
use crate::{Count, ToolUseId};

/// An old form of a user message. Only its content is always present: all other fields can be absent.
#[wire(tag(type = "user"))]
pub struct OldUser {
    /// The message with its role and content.
    pub message: OldPrompt,
    /// The ID of the tool use that started the sub-agent to which the message belongs. Null or absent for the main
    /// conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
    /// The number that a program assigned to this line when it stored the line.
    pub id: Option<Count>,
    /// The time of the message, in ISO 8601.
    pub timestamp: Option<String>,
    /// The git branch that was checked out when the message was written.
    pub git_branch: Option<String>,
    /// Whether the message is the summary that replaced the conversation in a compaction. The upgrade turns this field
    /// into `isSynthetic`.
    pub is_context_compaction: Option<bool>,
}

/// The role and content of an old user message.
#[wire]
pub struct OldPrompt {
    /// The role: `user`. May be absent.
    pub role: Option<Role>,
    /// The content: a text or content blocks.
    pub content: OldContent,
}

impl Old for OldUser {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let prompt = prompt(Draft::of(&self.message), &self.message.content, fill)?;
        line.set("message", &prompt);
        if self.is_context_compaction == Some(true) {
            line.fill("isSynthetic", &true);
        }
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}

/// Completes the content of a user message.
pub(super) fn prompt(
    mut prompt: Draft,
    content: &OldContent,
    fill: &Fill,
) -> Result<Draft, UpgradeError> {
    prompt.fill("role", &Role::User);
    if let OldContent::Blocks(blocks) = content {
        prompt.set("content", &upgraded(blocks, fill)?);
    }
    Ok(prompt)
}
