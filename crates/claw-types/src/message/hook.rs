//! `system` / `hook_started`, `hook_progress`, `hook_response`: hooks of settings files.
//!
//! Hooks that the host answers itself send none of these. For most events they are sent only where
//! hook events were asked for; for `SessionStart` and `Setup` always.

use super::Identity;
use crate::Number;
use crate::hook::HookEvent;

/// A hook of a settings file or plugin begins to run.
///
/// To hosts. Sent for `SessionStart` and `Setup` always, for other events only where hook events
/// were asked for (`include_hook_events`). Never for hooks that the host itself answers.
#[wire(tag(type = "system", subtype = "hook_started"))]
pub struct HookStarted {
    /// This run of the hook: the same on all its lines.
    pub hook_id: String,
    /// The hook, by its event and what it was matched on, such as `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event that it runs for, such as `PreToolUse`.
    pub hook_event: HookEvent,
    fields: Identity!(),
    /// Who configured it: `user_settings`, `project_settings`, `policy_settings` …. For some hosts.
    pub origin: Option<String>,
    /// What to call it. With `origin`.
    pub label: Option<String>,
    /// The plugin that it comes from. With `origin`.
    pub plugin_name: Option<String>,
}

/// Which hook, and what it has written so far.
#[wire(fields)]
struct HookSaid {
    /// This run of the hook: the same on all its lines.
    pub hook_id: String,
    /// The hook, by its event and what it was matched on, such as `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event that it runs for, such as `PreToolUse`.
    pub hook_event: HookEvent,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// Both, as they came.
    pub output: String,
}

/// A hook still runs, and has written something.
///
/// To hosts, between [`HookStarted`] and [`HookResponse`], for the same hooks as these: none, one or
/// many, about one a second while the hook runs and writes. Each holds all that the hook has written
/// so far.
#[wire(tag(type = "system", subtype = "hook_progress"))]
pub struct HookProgress {
    fields: HookSaid!(),
    fields: Identity!(),
    /// `true` where the session no longer waits for it.
    pub backgrounded: Option<bool>,
}

/// How a hook ended.
#[wire(open)]
pub enum HookOutcome {
    /// It did what it should.
    Success = "success",
    /// It failed.
    Error = "error",
    /// It was ended before.
    Cancelled = "cancelled",
}

/// A hook has ended.
///
/// To hosts, once for each [`HookStarted`]: for `SessionStart` and `Setup` always, for other events
/// only where hook events were asked for (`include_hook_events`), never for hooks that the host
/// itself answers.
#[wire(tag(type = "system", subtype = "hook_response"))]
pub struct HookResponse {
    fields: HookSaid!(),
    /// How it ended.
    pub outcome: HookOutcome,
    fields: Identity!(),
    /// The exit code of its process. Absent where it has none: it was killed, or is no command.
    pub exit_code: Option<Number>,
}
