//! Requests that change how the session goes on: permission mode, model, thinking.

use claw_types_derive::Wire;

use super::Request;
use crate::options::{PermissionMode, ThinkingDisplay};
use crate::{Count, Extra, Json, Tri};

/// To `claude`: ask for this and not for that, from now on. A `status` line says it too.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_permission_mode"))]
#[non_exhaustive]
pub struct SetPermissionMode {
    /// The mode. `bypassPermissions` only where the CLI was started with leave for it.
    pub mode: PermissionMode,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetPermissionMode {
    type Response = Option<SetPermissionModeResponse>;
}

/// The answer to `set_permission_mode`. Refused with the codes `invalid_mode` and
/// `bypass_not_launched`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SetPermissionModeResponse {
    /// The mode that holds.
    pub mode: PermissionMode,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: answer with this model from now on.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_model"))]
#[non_exhaustive]
pub struct SetModel {
    /// The model, by name or alias; absent or null for the default.
    pub model: Tri<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetModel {
    type Response = Option<SetModelResponse>;
}

/// The answer to `set_model`. A model that the API does not know is refused with the code
/// `check_failed`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SetModelResponse {
    /// The model that answers, by name.
    pub model: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: think as much as this from now on.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_max_thinking_tokens"))]
#[non_exhaustive]
pub struct SetMaxThinkingTokens {
    /// How many tokens a thought may take; 0 for none, null for the default.
    pub max_thinking_tokens: Tri<Count>,
    /// What is shown of thoughts; null for the default.
    pub thinking_display: Tri<ThinkingDisplay>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetMaxThinkingTokens {
    type Response = Option<Json>;
}
