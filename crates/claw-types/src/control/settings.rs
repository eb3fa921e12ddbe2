//! Requests that change the session: permission mode, model, thinking.

use crate::options::{PermissionMode, ThinkingDisplay};
use crate::{Count, Json, Tri};

/// To `claude`: set the permission mode from now on. The CLI also reports the change in a `status`
/// message.
#[wire(tag(subtype = "set_permission_mode"), response = Option<SetPermissionModeResponse>)]
pub struct SetPermissionMode {
    /// The permission mode. The CLI accepts `bypassPermissions` only if it was started with a flag that permits this
    /// mode.
    pub mode: PermissionMode,
}

/// The response to `set_permission_mode`. If `claude` refuses the mode, it sends an error with the
/// code `invalid_mode` or `bypass_not_launched`.
#[wire]
pub struct SetPermissionModeResponse {
    /// The permission mode that is now in effect. It can differ from the requested mode. Absent if the CLI does not
    /// report it.
    pub mode: Option<PermissionMode>,
}

/// To `claude`: set the model from now on.
#[wire(tag(subtype = "set_model"), response = Option<SetModelResponse>)]
pub struct SetModel {
    /// The name or alias of the model. Absent or null for the default.
    pub model: Tri<String>,
}

/// The response to `set_model`. If the API does not know the model, `claude` sends an error with
/// the code `check_failed`.
#[wire]
pub struct SetModelResponse {
    /// The name of the model that answers from now on.
    pub model: String,
}

/// To `claude`: set the maximum amount of thinking from now on.
#[wire(tag(subtype = "set_max_thinking_tokens"), response = Option<Json>)]
pub struct SetMaxThinkingTokens {
    /// The maximum number of thinking tokens. 0 turns thinking off, and null sets the default.
    pub max_thinking_tokens: Tri<Count>,
    /// The way in which thinking is displayed. Null sets the default.
    pub thinking_display: Tri<ThinkingDisplay>,
}
