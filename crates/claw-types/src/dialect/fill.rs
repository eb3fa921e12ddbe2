//! Values for fields that old forms lack.

use crate::message::{ApiKeySource, CompactTrigger};
use crate::options::PermissionMode;
use crate::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};

/// Values for fields that current messages require and old forms lack. The caller knows or chooses the values.
///
/// A value is used only if the old line itself has none. Create a fill for each line: two lines of a session share a
/// `session_id` and have different `uuid`s. If a message needs a value that is not set here, the upgrade fails with an
/// error that names it.
#[wire]
pub struct Fill {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The UUID of the message.
    pub uuid: MessageUuid,
    /// The model that answers.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// The ID of the response.
    pub message_id: Option<ApiMessageId>,
    /// The ID for a tool use without an ID. If a message has several of them, the second one gets the suffix `_2`, and
    /// so on.
    pub tool_use_id: Option<ToolUseId>,
    /// The ID for a control request without an ID.
    pub request_id: Option<RequestId>,
    /// What started a compaction: the user, or the CLI because the context was full.
    pub compact_trigger: Option<CompactTrigger>,
    /// The permission mode. Absent: `default`.
    pub permission_mode: Option<PermissionMode>,
    /// The source of the API key. Absent: `none`.
    pub api_key_source: Option<ApiKeySource>,
}
