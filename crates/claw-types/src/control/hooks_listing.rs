//! `get_hooks_listing`: the hooks of settings and plugins.

use super::SettingsParseError;
use crate::{Count, Json, Number, True};

/// To `claude`: list the hooks of settings, plugins and the session. Callbacks of the host are not
/// included.
#[wire(tag(subtype = "get_hooks_listing"), response = GetHooksListingResponse)]
pub struct GetHooksListing {}

/// The response to `get_hooks_listing`: what the CLI's dialog `/hooks` shows.
#[wire(rename_all = "camelCase")]
pub struct GetHooksListingResponse {
    /// The events that have hooks.
    pub events: Vec<ListedHookEvent>,
    /// The hooks, by event, then by matcher.
    pub hooks: Vec<ListedHook>,
    /// All hook events that exist.
    pub event_catalog: Vec<HookEventInfo>,
    /// The organisation's policy about hooks.
    pub policy: HooksPolicy,
    /// The state of hooks under `--safe-mode`. Sent only in a session with that flag.
    pub safe_mode: Option<HooksSafeMode>,
    /// The state of hooks under `--bare`. Sent only in a session with that flag.
    pub bare_mode: Option<HooksBareMode>,
    /// The settings files that were ignored because they cannot be parsed.
    pub errors: Option<Vec<SettingsParseError>>,
}

/// A hook event that exists.
#[wire(rename_all = "camelCase")]
pub struct HookEventInfo {
    /// The name of the event.
    pub name: String,
    /// A summary of when the event occurs, in one line of English.
    pub summary: String,
    /// Whether hooks of the event support a matcher.
    pub supports_matcher: bool,
}

/// A hook event that has hooks.
#[wire(rename_all = "camelCase")]
pub struct ListedHookEvent {
    /// The name of the event.
    pub name: String,
    /// A summary of when the event occurs, in one line of English.
    pub summary: String,
    /// Whether hooks of the event support a matcher.
    pub supports_matcher: bool,
    /// The number of hooks of the event.
    pub hook_count: Count,
}

/// A hook of settings, of a plugin or of the session.
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
    /// The display name of the hook in a list.
    pub display_text: String,
    /// The command, prompt or URL of the hook.
    pub command_text: String,
    /// The display name of the kind of content: command, prompt or URL.
    pub content_label: String,
    /// A permission rule that must match for the hook to be called.
    pub condition: Option<String>,
    /// The timeout of the hook, in seconds.
    pub timeout: Option<Number>,
    /// The text that is shown while the hook runs.
    pub status_message: Option<String>,
    /// Whether the hook is called only once per session.
    pub runs_once: Option<bool>,
    /// Whether the hook runs in the background.
    pub runs_in_background: Option<bool>,
    /// Whether the hook is disabled by a mode or the policy.
    pub disabled: Option<True>,
    /// The hook as it is in its settings file. Sent only if that file may be written.
    pub editable: Option<EditableHook>,
}

/// A hook as it is in a settings file.
#[wire(rename_all = "camelCase")]
pub struct EditableHook {
    /// The matcher of the hook. Empty if the hook matches everything.
    pub matcher: String,
    /// The configuration of the hook, in the form of settings.
    pub config: Json,
    /// Whether the values of the hook's HTTP headers were left out.
    pub headers_redacted: Option<True>,
}

/// An organisation's policy about hooks.
#[wire(rename_all = "camelCase")]
pub struct HooksPolicy {
    /// Whether the policy disables all hooks.
    pub disabled_by_policy: bool,
    /// Whether only the organisation's hooks run. The list does not include these hooks.
    pub managed_only: bool,
    /// Whether only hooks of plugins can be added.
    pub plugin_only: bool,
    /// Whether all hooks are disabled, by any source.
    pub all_disabled: bool,
    /// The number of the organisation's own hooks.
    pub policy_hook_count: Count,
    /// Whether the policy could not be read, so that nothing may be changed.
    pub policy_unreadable: Option<True>,
}

/// The state of hooks in a session with `--safe-mode`.
#[wire(rename_all = "camelCase")]
pub struct HooksSafeMode {
    /// Whether the organisation's hooks still run.
    pub managed_hooks_still_apply: bool,
    /// A hint on how to leave the mode, in English.
    pub exit_hint: String,
}

/// The state of hooks in a session with `--bare`.
#[wire(rename_all = "camelCase")]
pub struct HooksBareMode {
    /// A hint on how to leave the mode, in English.
    pub exit_hint: String,
}
