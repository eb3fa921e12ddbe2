//! What old forms lack.

use crate::message::{ApiKeySource, CompactTrigger};
use crate::options::PermissionMode;
use crate::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};

/// What today's messages say and old forms do not: the caller knows it, or decides it.
///
/// Used only where the old line itself says nothing. One line needs one fill: two lines of a
/// session have one `session_id` and two `uuid`s. Where a message needs what is not set here, the
/// upgrade fails and names it.
#[wire]
pub struct Fill {
    /// The session.
    pub session_id: SessionId,
    /// Names the line.
    pub uuid: MessageUuid,
    /// The model.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The CLI's version.
    pub claude_code_version: Option<String>,
    /// Names the answer.
    pub message_id: Option<ApiMessageId>,
    /// Names a tool use. Of several in one message, the second gets the suffix `_2`, and so on.
    pub tool_use_id: Option<ToolUseId>,
    /// Names a question that had no name.
    pub request_id: Option<RequestId>,
    /// Who asked for a summary.
    pub compact_trigger: Option<CompactTrigger>,
    /// What is asked for and what is not. Absent: `default`.
    pub permission_mode: Option<PermissionMode>,
    /// Where the API key comes from. Absent: `none`.
    pub api_key_source: Option<ApiKeySource>,
}
