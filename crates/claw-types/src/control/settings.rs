//! Requests that change how the session goes on: permission mode, model, thinking.

use crate::options::{PermissionMode, ThinkingDisplay};
use crate::{Count, Json, Tri};

/// To `claude`: ask for this and not for that, from now on. A `status` line says it too.
#[wire(tag(subtype = "set_permission_mode"), response = Option<SetPermissionModeResponse>)]
pub struct SetPermissionMode {
    /// The mode. `bypassPermissions` only where the CLI was started with leave for it.
    pub mode: PermissionMode,
}

/// The answer to `set_permission_mode`. Refused with the codes `invalid_mode` and
/// `bypass_not_launched`.
#[wire]
pub struct SetPermissionModeResponse {
    /// The mode that holds.
    pub mode: PermissionMode,
}

/// To `claude`: answer with this model from now on.
#[wire(tag(subtype = "set_model"), response = Option<SetModelResponse>)]
pub struct SetModel {
    /// The model, by name or alias; absent or null for the default.
    pub model: Tri<String>,
}

/// The answer to `set_model`. A model that the API does not know is refused with the code
/// `check_failed`.
#[wire]
pub struct SetModelResponse {
    /// The model that answers, by name.
    pub model: String,
}

/// To `claude`: think as much as this from now on.
#[wire(tag(subtype = "set_max_thinking_tokens"), response = Option<Json>)]
pub struct SetMaxThinkingTokens {
    /// How many tokens a thought may take; 0 for none, null for the default.
    pub max_thinking_tokens: Tri<Count>,
    /// What is shown of thoughts; null for the default.
    pub thinking_display: Tri<ThinkingDisplay>,
}
