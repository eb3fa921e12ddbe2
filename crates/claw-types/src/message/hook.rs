//! `system` / `hook_started`, `hook_progress`, `hook_response`: hooks from settings files and plugins.
//!
//! The CLI sends these messages only for hooks that it runs itself, and never for hook callbacks of the host. It always
//! sends the messages for the events `SessionStart` and `Setup`. For other events, it sends them only if hook events
//! were requested (`--include-hook-events`).

use super::Identity;
use crate::Number;
use crate::hook::HookEvent;

/// The start of a hook from a settings file or plugin.
///
/// The CLI always sends this message for the events `SessionStart` and `Setup`. For other events, it sends this message
/// only if hook events were requested (`--include-hook-events`). The CLI never sends it for hook callbacks of the host.
#[wire(tag(type = "system", subtype = "hook_started"))]
pub struct HookStarted {
    /// The ID of this run of the hook. All messages about the same run have this ID.
    pub hook_id: String,
    /// The name of the hook: its event and the matched value, such as `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event that triggered the hook, such as `PreToolUse`.
    pub hook_event: HookEvent,
    fields: Identity!(),
    /// The source of the hook's configuration, such as `user_settings`, `project_settings` or `policy_settings`. Sent
    /// only for hooks of the event `SessionStart`, and only to some hosts.
    pub origin: Option<String>,
    /// The display name of the hook. Sent together with `origin`.
    pub label: Option<String>,
    /// The name of the plugin that provides the hook. Sent together with `origin`.
    pub plugin_name: Option<String>,
}

/// The hook and its output so far.
#[wire(fields)]
struct HookTexts {
    /// The ID of this run of the hook. All messages about the same run have this ID.
    pub hook_id: String,
    /// The name of the hook: its event and the matched value, such as `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event that triggered the hook, such as `PreToolUse`.
    pub hook_event: HookEvent,
    /// The hook's output on stdout so far.
    pub stdout: String,
    /// The hook's output on stderr so far.
    pub stderr: String,
    /// The hook's output on stdout and stderr so far, in the order of arrival.
    pub output: String,
}

/// New output of a hook that is still running.
///
/// The CLI sends this message about once a second while the hook runs and writes output. Between
/// [`HookStarted`] and [`HookResponse`] there can be none, one or many of these messages. Each
/// message holds all output so far.
#[wire(tag(type = "system", subtype = "hook_progress"))]
pub struct HookProgress {
    fields: HookTexts!(),
    fields: Identity!(),
    /// Whether the hook now runs in the background, so that the session no longer waits for it. Absent means `false`.
    pub backgrounded: Option<bool>,
}

/// The outcome of a hook.
#[wire(open)]
pub enum HookOutcome {
    /// The hook succeeded.
    Success = "success",
    /// The hook failed.
    Error = "error",
    /// The hook was cancelled before it was finished.
    Cancelled = "cancelled",
}

/// The end of a hook from a settings file or plugin.
///
/// The CLI sends this message once for each [`HookStarted`]. It always sends both messages for the events
/// `SessionStart` and `Setup`. For other events, it sends them only if hook events were requested
/// (`--include-hook-events`). The CLI never sends them for hook callbacks of the host.
#[wire(tag(type = "system", subtype = "hook_response"))]
pub struct HookResponse {
    fields: HookTexts!(),
    /// The outcome of the hook: `success`, `error` or `cancelled`.
    pub outcome: HookOutcome,
    fields: Identity!(),
    /// The exit code of the hook's process. Absent if the process was killed, or if the hook is not a command.
    pub exit_code: Option<Number>,
}
