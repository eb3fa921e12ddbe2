//! Values for fields that old forms lack.

use crate::message::{ApiKeySource, CompactTrigger};
use crate::options::PermissionMode;
use crate::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};

/// Values for fields that the current form of a message requires and the old form lacks. The caller knows or chooses
/// the values.
///
/// A value is used only if the old line itself has none. Create a new `Fill` for each line: all lines of a session
/// share the `session_id`, but each line has its own `uuid`. If a message needs a value that is not set here, the
/// upgrade fails with an error that names the value.
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
    /// The ID for a tool use without an ID. If a message has several such tool uses, the second one gets the suffix
    /// `_2`, and so on.
    pub tool_use_id: Option<ToolUseId>,
    /// The ID for a control request without an ID.
    pub request_id: Option<RequestId>,
    /// What started a compaction: the user, or the CLI because the context was full.
    pub compact_trigger: Option<CompactTrigger>,
    /// The permission mode. If it is absent, `default` is used.
    pub permission_mode: Option<PermissionMode>,
    /// The source of the API key. If it is absent, `none` is used.
    pub api_key_source: Option<ApiKeySource>,
}
