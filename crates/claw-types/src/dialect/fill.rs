//! Values for fields that are required in the current form and missing in old forms.

use crate::message::{ApiKeySource, CompactTrigger};
use crate::options::PermissionMode;
use crate::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};

/// The values with which [`Dialect::upgrade`](super::Dialect::upgrade) fills the fields that the current form of a
/// message requires and the old form lacks. The caller chooses the values.
///
/// A value is used only if the old line does not contain it. Create a new `Fill` for each line, because each line needs
/// its own `uuid`. If a message needs a value that is not set, the upgrade fails with an error that names the value.
#[wire]
pub struct Fill {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The UUID of the message.
    pub uuid: MessageUuid,
    /// The model that answers.
    pub model: Option<String>,
    /// The working directory of the session.
    pub cwd: Option<String>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// The ID of the response.
    pub message_id: Option<ApiMessageId>,
    /// The ID for a tool use without an ID. If a message has several tool uses without an ID, the second one gets this
    /// ID with the suffix `_2`, the third one with `_3`, and so on.
    pub tool_use_id: Option<ToolUseId>,
    /// The ID for a control request without an ID.
    pub request_id: Option<RequestId>,
    /// The cause of a compaction: a request by the user, or a full context.
    pub compact_trigger: Option<CompactTrigger>,
    /// The permission mode for a line that does not contain one. If this value is not set, the upgrade uses `default`.
    pub permission_mode: Option<PermissionMode>,
    /// The source of the API key, for a line that does not contain it. If this value is not set, the upgrade uses
    /// `none`.
    pub api_key_source: Option<ApiKeySource>,
}
