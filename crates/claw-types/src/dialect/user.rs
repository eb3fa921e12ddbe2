//! `user` with less than today's, or with an envelope of somebody's own.

use super::block::upgraded;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, OldContent, Today, UpgradeError};
use crate::api::Role;
use crate::{Count, ToolUseId};

/// What the user said, or a tool on the user's behalf; only the content is certain.
#[wire(tag(type = "user"))]
pub struct OldUser {
    /// What is said.
    pub message: OldPrompt,
    /// The tool use whose sub-agent is spoken to; null or absent for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: OldIdentity!(),
    /// Numbers the line in somebody's store.
    pub id: Option<Count>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// The branch that was checked out.
    pub git_branch: Option<String>,
    /// Whether the line is the summary of what came before. Today such a line is `isSynthetic`.
    pub is_context_compaction: Option<bool>,
}

/// What is said.
#[wire]
pub struct OldPrompt {
    /// `user`, where it is said.
    pub role: Option<Role>,
    /// Text, or blocks.
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

/// Makes what is said whole.
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
