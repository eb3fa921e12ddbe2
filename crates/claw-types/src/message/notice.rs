//! What the CLI tells the person: `system` / `informational`, `notification`,
//! `local_command_output` and `permission_denied`, and `prompt_suggestion`.

use super::Identity;
use crate::control::DecisionReasonType;
use crate::{Number, ToolUseId};

/// How much a notice matters.
#[wire(open)]
pub enum InformationalLevel {
    /// To know.
    Info = "info",
    /// To look at.
    Notice = "notice",
    /// Something to do.
    Suggestion = "suggestion",
    /// Something is wrong.
    Warning = "warning",
}

/// A notice in the conversation that the model does not see: a hook's message, a hook that failed, a
/// prompt that a hook blocked.
///
/// To hosts, when it happens.
#[wire(tag(type = "system", subtype = "informational"))]
pub struct Informational {
    /// What it says.
    pub content: String,
    /// How much it matters.
    pub level: InformationalLevel,
    fields: Identity!(),
    /// The tool use that it is about.
    pub tool_use_id: Option<ToolUseId>,
    /// `true` where the turn does not go on because of it.
    pub prevent_continuation: Option<bool>,
    /// What it is about, for programs: `hook_callback_failed` ….
    pub tag: Option<String>,
    /// What became of the prompt, where the notice is about one that was not taken.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// The model, where the notice is about one that may not be used.
    pub model_restriction: Option<ModelRestriction>,
    /// The hook, where the notice is about one that said nothing.
    pub hook_no_verdict: Option<HookNoVerdict>,
}

/// What became of a prompt that was not taken.
#[wire]
pub struct PromptSubmitOutcome {
    /// What: `blocked_by_hook`, `no_verdict` ….
    pub kind: Option<String>,
    /// Whether the prompt stands in the conversation all the same.
    pub prompt_kept: Option<bool>,
    /// Why, in the hook's words.
    pub reason: Option<String>,
    /// Why the hook has said nothing. Only with `no_verdict`.
    pub no_verdict_kind: Option<String>,
}

/// How much a notification matters.
#[wire(open)]
pub enum NotificationPriority {
    /// Little.
    Low = "low",
    /// Some.
    Medium = "medium",
    /// Much.
    High = "high",
    /// It must be shown at once.
    Immediate = "immediate",
}

/// A short text for the person, beside the conversation.
///
/// To hosts, when there is something to show. A later one with the same `key` takes its place.
#[wire(tag(type = "system", subtype = "notification"))]
pub struct Notification {
    /// What it is about: one at a time is shown of each.
    pub key: String,
    /// The text.
    pub text: String,
    /// How much it matters.
    pub priority: NotificationPriority,
    fields: Identity!(),
    /// Its colour, by a name of the CLI's theme.
    pub color: Option<String>,
    /// How long to show it, in milliseconds. Absent: as long as the host likes.
    pub timeout_ms: Option<Number>,
}

/// What a slash command that ran without the model wrote.
///
/// To hosts, for some commands; others write a [`UserMessageReplay`](super::UserMessageReplay) or an
/// [`AssistantMessage`](super::AssistantMessage).
#[wire(tag(type = "system", subtype = "local_command_output"))]
pub struct LocalCommandOutput {
    /// The text.
    pub content: String,
    fields: Identity!(),
}

/// A tool was refused without the host being asked.
///
/// To hosts, when a rule or the permission mode refuses. Not for all refusals: the record is
/// `permission_denials` of the result.
#[wire(tag(type = "system", subtype = "permission_denied"))]
pub struct PermissionDenied {
    /// The tool.
    pub tool_name: String,
    /// Its use.
    pub tool_use_id: ToolUseId,
    /// What the model is told.
    pub message: String,
    fields: Identity!(),
    /// The sub-agent that wanted to use it. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// Why.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// Why, in words.
    pub decision_reason: Option<String>,
    /// Why, for programs: `outside_reads_blocked`, `memory_paused` …. Where a host can do something
    /// about it.
    pub decision_reason_code: Option<String>,
}

/// What the person may want to say next.
///
/// To hosts, after the result, where prompt suggestions were asked for.
#[wire(tag(type = "prompt_suggestion"))]
pub struct PromptSuggestion {
    /// The prompt.
    pub suggestion: String,
    fields: Identity!(),
}

/// When it turned out that a model may not be used.
#[wire(open)]
pub enum ModelRestrictionPoint {
    /// When the session began.
    Start = "start",
    /// When it was asked for.
    Switch = "switch",
    /// When the session was resumed.
    Resume = "resume",
}

/// A model that may not be used, and the one in its place.
#[wire]
pub struct ModelRestriction {
    /// The model that was asked for.
    pub requested_model: String,
    /// The model in its place.
    pub effective_model: String,
    /// When that turned out.
    pub at: Option<ModelRestrictionPoint>,
}

/// A hook that should have decided on a tool use and said nothing.
#[wire]
pub struct HookNoVerdict {
    /// The hook's event.
    pub hook_event: String,
    /// The tool use.
    pub tool_use_id: ToolUseId,
    /// Whether its time ran out.
    pub timed_out: bool,
    /// The plugin that it comes from.
    pub plugin_id: Option<String>,
    /// That plugin's folder.
    pub plugin_root: Option<String>,
}
