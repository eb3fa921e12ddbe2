//! Tools that run at the API.

use claw_types::{ToolUseId, Unknown};

/// Returns the ID of the tool use whose result is in this block. Returns `None` if the block is not a tool result. The
/// API has many kinds of results, such as `bash_code_execution_tool_result`, so their blocks are of an unknown kind.
pub(crate) fn result_of(block: &Unknown) -> Option<ToolUseId> {
    let is_result = block.kind().ends_with("_tool_result");
    let id = is_result.then(|| block.text("tool_use_id")).flatten();
    id.map(ToolUseId::from)
}
