//! `get_hooks_listing`: the hooks of settings and plugins.

use super::SettingsParseError;
use crate::{Count, Json, Number, True};

/// To `claude`: list the hooks that come from settings, from plugins or from the session. Callbacks of the host are not
/// included.
#[wire(tag(subtype = "get_hooks_listing"), response = GetHooksListingResponse)]
pub struct GetHooksListing {}

/// The response to `get_hooks_listing`, with the contents of the CLI's dialog `/hooks`.
#[wire(rename_all = "camelCase")]
pub struct GetHooksListingResponse {
    /// The events that have hooks.
    pub events: Vec<ListedHookEvent>,
    /// The hooks, sorted by event and then by matcher.
    pub hooks: Vec<ListedHook>,
    /// All hook events of the CLI, including those without hooks.
    pub event_catalog: Vec<HookEventInfo>,
    /// The rules that the organisation sets for hooks.
    pub policy: HooksPolicy,
    /// How `--safe-mode` affects the hooks. Sent only in a session with that flag.
    pub safe_mode: Option<HooksSafeMode>,
    /// How `--bare` affects the hooks. Sent only in a session with that flag.
    pub bare_mode: Option<HooksBareMode>,
    /// The settings files that were ignored because they cannot be parsed.
    pub errors: Option<Vec<SettingsParseError>>,
}

/// A hook event of the CLI, with a summary of the event.
#[wire(rename_all = "camelCase")]
pub struct HookEventInfo {
    /// The name of the event.
    pub name: String,
    /// A summary in one line of English that says when the event occurs.
    pub summary: String,
    /// Whether hooks for this event can have a matcher.
    pub supports_matcher: bool,
}

/// A hook event that has hooks.
#[wire(rename_all = "camelCase")]
pub struct ListedHookEvent {
    /// The name of the event.
    pub name: String,
    /// A summary in one line of English that says when the event occurs.
    pub summary: String,
    /// Whether hooks for this event can have a matcher.
    pub supports_matcher: bool,
    /// The number of hooks for this event.
    pub hook_count: Count,
}

/// A hook that comes from settings, from a plugin or from the session.
#[wire(rename_all = "camelCase")]
pub struct ListedHook {
    /// The event for which the hook is called.
    pub event: String,
    /// The matcher of the hook. Empty if the hook matches everything.
    pub matcher: String,
    /// The source of the hook, such as `userSettings`, `pluginHook` or `sessionHook`.
    pub source: String,
    /// The display name of the source.
    pub source_label: String,
    /// The name of the plugin that provides the hook.
    pub plugin_name: Option<String>,
    /// The kind of the hook, such as `command`, `prompt`, `agent`, `http` or `mcp_tool`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The text that stands for the hook in the CLI's dialog `/hooks`.
    pub display_text: String,
    /// The command, the prompt or the URL of the hook.
    pub command_text: String,
    /// The display name for what `command_text` contains: a command, a prompt or a URL.
    pub content_label: String,
    /// A permission rule. The hook is called only if the rule matches.
    pub condition: Option<String>,
    /// The timeout of the hook, in seconds.
    pub timeout: Option<Number>,
    /// The text that is shown while the hook runs.
    pub status_message: Option<String>,
    /// Whether the hook is called only once per session.
    pub runs_once: Option<bool>,
    /// Whether the hook runs in the background.
    pub runs_in_background: Option<bool>,
    /// Whether a mode of the session or the organisation's policy disables the hook.
    pub disabled: Option<True>,
    /// The hook as it is written in its settings file. Sent only if the settings file may be changed.
    pub editable: Option<EditableHook>,
}

/// A hook as it is written in a settings file.
#[wire(rename_all = "camelCase")]
pub struct EditableHook {
    /// The matcher of the hook. Empty if the hook matches everything.
    pub matcher: String,
    /// The configuration of the hook, in the form that settings files use.
    pub config: Json,
    /// Whether the values of the hook's HTTP headers were left out.
    pub headers_redacted: Option<True>,
}

/// The rules that an organisation sets for hooks.
#[wire(rename_all = "camelCase")]
pub struct HooksPolicy {
    /// Whether the policy disables all hooks.
    pub disabled_by_policy: bool,
    /// Whether only the organisation's hooks run. The field `hooks` of the response does not include these hooks.
    pub managed_only: bool,
    /// Whether only plugins can add hooks.
    pub plugin_only: bool,
    /// Whether all hooks are disabled, for example by the policy.
    pub all_disabled: bool,
    /// The number of the organisation's own hooks.
    pub policy_hook_count: Count,
    /// Whether the CLI failed to read the policy. If so, no hook may be changed.
    pub policy_unreadable: Option<True>,
}

/// How `--safe-mode` affects the hooks of a session.
#[wire(rename_all = "camelCase")]
pub struct HooksSafeMode {
    /// Whether the organisation's hooks still run.
    pub managed_hooks_still_apply: bool,
    /// A hint in English that says how to leave this mode.
    pub exit_hint: String,
}

/// How `--bare` affects the hooks of a session.
#[wire(rename_all = "camelCase")]
pub struct HooksBareMode {
    /// A hint in English that says how to leave this mode.
    pub exit_hint: String,
}
