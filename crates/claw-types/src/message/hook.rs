//! `system` / `hook_started`, `hook_progress`, `hook_response`: hooks of settings files.
//!
//! Hooks that the host answers itself send none of these. For most events they are sent only where
//! hook events were asked for; for `SessionStart` and `Setup` always.

use claw_types_derive::Wire;

use crate::open_enum::open_enum;
use crate::{Extra, MessageUuid, Number, SessionId};

/// A hook runs.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "hook_started"))]
#[non_exhaustive]
pub struct HookStarted {
    /// The run of the hook.
    pub hook_id: String,
    /// The hook.
    pub hook_name: String,
    /// The event that it runs for.
    pub hook_event: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A hook still runs.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "hook_progress"))]
#[non_exhaustive]
pub struct HookProgress {
    /// The run of the hook.
    pub hook_id: String,
    /// The hook.
    pub hook_name: String,
    /// The event that it runs for.
    pub hook_event: String,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// Both, as they came.
    pub output: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// How a hook ended.
    HookOutcome {
        /// It did what it should.
        Success = "success",
        /// It failed.
        Error = "error",
        /// It was ended before.
        Cancelled = "cancelled",
    }
}

/// A hook has ended.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "hook_response"))]
#[non_exhaustive]
pub struct HookResponse {
    /// The run of the hook.
    pub hook_id: String,
    /// The hook.
    pub hook_name: String,
    /// The event that it runs for.
    pub hook_event: String,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// Both, as they came.
    pub output: String,
    /// How it ended.
    pub outcome: HookOutcome,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The exit code of its process.
    pub exit_code: Option<Number>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
