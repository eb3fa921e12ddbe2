//! What hooks said.

use crate::hook::HookEvent;
use crate::options::PermissionMode;
use crate::{Json, Number};

/// A command of a hook has ended well.
#[wire(tag(type = "hook_success"), rename_all = "camelCase")]
pub struct HookSuccessAttachment {
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// What the model reads of it; may be empty.
    pub content: Option<String>,
    /// What it wrote.
    pub stdout: Option<String>,
    /// What it wrote on stderr.
    pub stderr: Option<String>,
    /// How it ended.
    pub exit_code: Option<Number>,
    /// The command.
    pub command: Option<String>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// A command of a hook has failed, and nothing comes of it.
#[wire(tag(type = "hook_non_blocking_error"), rename_all = "camelCase")]
pub struct HookNonBlockingErrorAttachment {
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// What it wrote.
    pub stdout: Option<String>,
    /// What it wrote on stderr.
    pub stderr: Option<String>,
    /// How it ended.
    pub exit_code: Option<Number>,
    /// The command.
    pub command: Option<String>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// A hook says no, and the model reads why.
#[wire(tag(type = "hook_blocking_error"), rename_all = "camelCase")]
pub struct HookBlockingErrorAttachment {
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// What it said.
    pub blocking_error: BlockingError,
}

/// What a hook said that says no.
#[wire(rename_all = "camelCase")]
pub struct BlockingError {
    /// Why.
    pub blocking_error: String,
    /// The hook's command, `callback` for one of the host's.
    pub command: Option<String>,
}

/// A hook has something to tell the model.
#[wire(tag(type = "hook_additional_context"), rename_all = "camelCase")]
pub struct HookAdditionalContextAttachment {
    /// The texts.
    pub content: Vec<String>,
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// A hook has something to tell the person. The model does not read it.
#[wire(tag(type = "hook_system_message"), rename_all = "camelCase")]
pub struct HookSystemMessageAttachment {
    /// The text.
    pub content: String,
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// A hook ends the turn.
#[wire(tag(type = "hook_stopped_continuation"), rename_all = "camelCase")]
pub struct HookStoppedContinuationAttachment {
    /// Why.
    pub message: String,
    /// The hook: its event, and behind a colon what it is for.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use that it is about, or a name of its run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// A hook has decided whether a tool may run.
#[wire(tag(type = "hook_permission_decision"), rename_all = "camelCase")]
pub struct HookPermissionDecisionAttachment {
    /// `allow` or `deny`.
    pub decision: String,
    /// The event.
    pub hook_event: HookEvent,
    /// The tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// A hook leaves a tool for later: the session ends, and runs it when it goes on.
#[wire(tag(type = "hook_deferred_tool"), rename_all = "camelCase")]
pub struct HookDeferredToolAttachment {
    /// The tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Json,
    /// Where the hook comes from.
    pub hook_name: String,
    /// The event.
    pub hook_event: HookEvent,
    /// What was asked for then, and what not.
    pub permission_mode: Option<PermissionMode>,
}
