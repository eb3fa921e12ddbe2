//! `get_hooks_listing`: the hooks of settings and plugins.

use super::SettingsParseError;
use crate::{Count, Json, Number, True};

/// To `claude`: which hooks do settings, plugins and the session have? The host's own callbacks are
/// not among them.
#[wire(tag(subtype = "get_hooks_listing"), response = GetHooksListingResponse)]
pub struct GetHooksListing {}

/// The answer to `get_hooks_listing`: what `/hooks` shows.
#[wire(rename_all = "camelCase")]
pub struct GetHooksListingResponse {
    /// The events that have hooks.
    pub events: Vec<ListedHookEvent>,
    /// The hooks, by event, then by matcher.
    pub hooks: Vec<ListedHook>,
    /// All events that there are.
    pub event_catalog: Vec<HookEventInfo>,
    /// What the organisation says.
    pub policy: HooksPolicy,
    /// Only in a session with `--safe-mode`.
    pub safe_mode: Option<HooksSafeMode>,
    /// Only in a session with `--bare`.
    pub bare_mode: Option<HooksBareMode>,
    /// Settings files that are left out, since they cannot be read.
    pub errors: Option<Vec<SettingsParseError>>,
}

/// An event that hooks are called for.
#[wire(rename_all = "camelCase")]
pub struct HookEventInfo {
    /// The event.
    pub name: String,
    /// When it is, in a line of English.
    pub summary: String,
    /// Whether its hooks can say what they are called for.
    pub supports_matcher: bool,
}

/// An event that has hooks.
#[wire(rename_all = "camelCase")]
pub struct ListedHookEvent {
    /// The event.
    pub name: String,
    /// When it is, in a line of English.
    pub summary: String,
    /// Whether its hooks can say what they are called for.
    pub supports_matcher: bool,
    /// How many there are.
    pub hook_count: Count,
}

/// A hook of settings, of a plugin or of the session.
#[wire(rename_all = "camelCase")]
pub struct ListedHook {
    /// What it is called for.
    pub event: String,
    /// For what of it; empty for all.
    pub matcher: String,
    /// Where it comes from: `userSettings`, `pluginHook`, `sessionHook` ….
    pub source: String,
    /// The same, to be shown.
    pub source_label: String,
    /// The plugin that it comes from.
    pub plugin_name: Option<String>,
    /// What it is: `command`, `prompt`, `agent`, `http`, `mcp_tool` ….
    #[wire(rename = "type")]
    pub kind: String,
    /// What to call it in a list.
    pub display_text: String,
    /// The command, prompt or address.
    pub command_text: String,
    /// What that is, to be shown.
    pub content_label: String,
    /// A permission rule that has to fit.
    pub condition: Option<String>,
    /// How long it may take, in seconds.
    pub timeout: Option<Number>,
    /// What is shown while it runs.
    pub status_message: Option<String>,
    /// It is called once a session.
    pub runs_once: Option<bool>,
    /// Nobody waits for it.
    pub runs_in_background: Option<bool>,
    /// It does not run: mode or policy forbid it.
    pub disabled: Option<True>,
    /// How it stands in its file. Only where that may be written.
    pub editable: Option<EditableHook>,
}

/// A hook as it stands in a settings file.
#[wire(rename_all = "camelCase")]
pub struct EditableHook {
    /// What it is called for; empty for all.
    pub matcher: String,
    /// The hook, as settings have it.
    pub config: Json,
    /// The values of its headers were left out.
    pub headers_redacted: Option<True>,
}

/// What an organisation says about hooks.
#[wire(rename_all = "camelCase")]
pub struct HooksPolicy {
    /// None runs.
    pub disabled_by_policy: bool,
    /// Only its own run, and they are not listed.
    pub managed_only: bool,
    /// Only those of plugins can be added.
    pub plugin_only: bool,
    /// All are off, whoever said so.
    pub all_disabled: bool,
    /// How many it has itself.
    pub policy_hook_count: Count,
    /// What it says could not be read, so nothing may be changed.
    pub policy_unreadable: Option<True>,
}

/// Hooks in a session with `--safe-mode`.
#[wire(rename_all = "camelCase")]
pub struct HooksSafeMode {
    /// The organisation's run all the same.
    pub managed_hooks_still_apply: bool,
    /// How to leave that mode, in English.
    pub exit_hint: String,
}

/// Hooks in a session with `--bare`.
#[wire(rename_all = "camelCase")]
pub struct HooksBareMode {
    /// How to leave that mode, in English.
    pub exit_hint: String,
}
