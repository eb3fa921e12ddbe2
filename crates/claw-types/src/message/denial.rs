//! The reason why a tool did not run.

use std::collections::HashMap;

use super::user::{NonExecutionKind, UserMessage};
use crate::ToolUseId;
use crate::api::{ContentBlock, ToolResultBlock};
use crate::message::ToolResultMeta;
use crate::texts::{BY_CLASSIFIER, HOOK_ERROR, REFUSED, REJECTED_BY_USER, is_unasked};

impl ToolResultBlock {
    /// Returns the reason why the tool did not run, derived only from the text of this tool result. Returns `None` if
    /// the tool ran. Also returns `None` if the CLI did not write the text, for example because the host wrote it.
    /// [`UserMessage::denial`] recognises more cases. If nobody could be asked for permission, the reason is
    /// [`UserRejected`](NonExecutionKind::UserRejected), as in the CLI.
    pub fn denial(&self) -> Option<NonExecutionKind> {
        if self.is_error != Some(true) {
            return None;
        }
        let text = self.content.as_ref()?.text();
        let begins = |texts: &[&str]| texts.iter().any(|begin| text.starts_with(begin));
        if begins(REJECTED_BY_USER) || is_unasked(&text) {
            Some(NonExecutionKind::UserRejected)
        } else if !begins(REFUSED) || text.starts_with("PreToolUse:") && !text.contains(HOOK_ERROR)
        {
            None
        } else if text.contains(BY_CLASSIFIER) {
            Some(NonExecutionKind::AutomodeBlocked)
        } else {
            Some(NonExecutionKind::PermissionRule)
        }
    }
}

impl UserMessage {
    /// Returns the reason why the tool use with this ID did not run. Returns `None` if the tool use ran, or if this
    /// message does not contain its result. The reason comes from `tool_result_meta` if this field is present, and
    /// otherwise from the text of the result. CLI 2.1.329 sends this field for every denial.
    pub fn denial(&self, tool_use_id: &ToolUseId) -> Option<NonExecutionKind> {
        let meta = self.tool_result_meta.iter().flatten();
        let reported = meta
            .filter(|meta| meta.id == *tool_use_id)
            .find_map(ToolResultMeta::denial);
        reported.unwrap_or_else(|| {
            let result = self
                .message
                .content
                .blocks()
                .iter()
                .find_map(|block| match block {
                    ContentBlock::ToolResult(result) if result.tool_use_id == *tool_use_id => {
                        Some(result)
                    }
                    _ => None,
                });
            result.and_then(ToolResultBlock::denial)
        })
    }
}

impl UserMessage {
    /// Returns all tool uses that did not run, according to their tool results in this message. Each key is the ID of a
    /// tool use, and its value is the reason why the tool use did not run. To get the reason for one tool use, call
    /// [`Self::denial`].
    pub fn denials(&self) -> HashMap<&ToolUseId, NonExecutionKind> {
        let mut reasons: HashMap<&ToolUseId, Option<NonExecutionKind>> = HashMap::new();
        for meta in self.tool_result_meta.iter().flatten() {
            if let Some(denial) = meta.denial() {
                reasons.entry(&meta.id).or_insert(denial);
            }
        }
        for block in self.message.content.blocks() {
            if let ContentBlock::ToolResult(result) = block {
                let id = &result.tool_use_id;
                reasons.entry(id).or_insert_with(|| result.denial());
            }
        }
        let denied = reasons.into_iter();
        denied
            .filter_map(|(id, denial)| Some((id, denial?)))
            .collect()
    }
}

impl ToolResultMeta {
    /// Returns the reason why the tool did not run, or `Some(None)` if it ran. `None` if this
    /// metadata does not tell.
    #[expect(
        clippy::option_option,
        reason = "one for what is said, one for a denial"
    )]
    fn denial(&self) -> Option<Option<NonExecutionKind>> {
        if let Some(kind) = &self.non_execution_kind {
            return Some(Some(kind.clone()));
        }
        match self.permission_decision.as_ref()?.decision.as_str() {
            "accept" => Some(None),
            "reject" => Some(Some(NonExecutionKind::PermissionRule)),
            _ => None,
        }
    }
}
