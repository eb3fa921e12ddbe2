//! Attachments about hooks that ran: their output and their decisions.

use crate::hook::HookEvent;
use crate::options::PermissionMode;
use crate::{Json, Number};

/// An attachment for a hook command that succeeded.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "hook_success"), rename_all = "camelCase")]
pub struct HookSuccessAttachment {
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// The text that the model reads. May be empty.
    pub content: Option<String>,
    /// The command's output on stdout.
    pub stdout: Option<String>,
    /// The command's output on stderr.
    pub stderr: Option<String>,
    /// The exit code of the command.
    pub exit_code: Option<Number>,
    /// The command of the hook.
    pub command: Option<String>,
    /// The run time of the hook, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// An attachment for a hook command that failed without blocking anything.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "hook_non_blocking_error"), rename_all = "camelCase")]
pub struct HookNonBlockingErrorAttachment {
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// The command's output on stdout.
    pub stdout: Option<String>,
    /// The command's output on stderr.
    pub stderr: Option<String>,
    /// The exit code of the command.
    pub exit_code: Option<Number>,
    /// The command of the hook.
    pub command: Option<String>,
    /// The run time of the hook, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// An attachment for a hook that blocked an action, such as the end of a turn. The model reads the hook's reason.
#[wire(tag(type = "hook_blocking_error"), rename_all = "camelCase")]
pub struct HookBlockingErrorAttachment {
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// The blocking output of the hook.
    pub blocking_error: BlockingError,
}

/// The output of a hook that blocked an action.
#[wire(rename_all = "camelCase")]
pub struct BlockingError {
    /// The reason for blocking.
    pub blocking_error: String,
    /// The command of the hook. `callback` for a hook that the host (the program that runs `claude`) answers.
    pub command: Option<String>,
}

/// An attachment with additional context that a hook gives the model.
#[wire(tag(type = "hook_additional_context"), rename_all = "camelCase")]
pub struct HookAdditionalContextAttachment {
    /// The texts of the additional context.
    pub content: Vec<String>,
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// An attachment with a message from a hook to the user. The model does not read the message.
#[wire(tag(type = "hook_system_message"), rename_all = "camelCase")]
pub struct HookSystemMessageAttachment {
    /// The text of the message.
    pub content: String,
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// An attachment for a hook that ends the turn.
#[wire(tag(type = "hook_stopped_continuation"), rename_all = "camelCase")]
pub struct HookStoppedContinuationAttachment {
    /// The reason for ending the turn.
    pub message: String,
    /// The name of the hook: its event and the value that it matched, if there is one, such as the tool in
    /// `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use for which the hook ran. For a hook without a tool use, the ID of the hook's run.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// An attachment with a hook's decision on whether a tool may run.
#[wire(tag(type = "hook_permission_decision"), rename_all = "camelCase")]
pub struct HookPermissionDecisionAttachment {
    /// The decision: `allow` or `deny`.
    pub decision: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
}

/// An attachment for a hook that defers a tool use: the session ends, and the tool runs when the session is resumed.
#[wire(tag(type = "hook_deferred_tool"), rename_all = "camelCase")]
pub struct HookDeferredToolAttachment {
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the deferred tool use. Its form depends on the tool.
    pub tool_input: Json,
    /// The name of the hook.
    pub hook_name: String,
    /// The event at which the hook ran.
    pub hook_event: HookEvent,
    /// The permission mode at the time when the tool use was deferred.
    pub permission_mode: Option<PermissionMode>,
}
