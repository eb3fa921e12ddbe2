//! Notices from the CLI to the person: `system` / `informational`, `notification`, `local_command_output` and
//! `permission_denied`, and `prompt_suggestion`.

use super::Identity;
use crate::control::DecisionReasonType;
use crate::{Number, ToolUseId};

/// The importance of a notice.
#[wire(open)]
pub enum InformationalLevel {
    /// A notice that only informs the person.
    Info = "info",
    /// A notice that deserves attention.
    Notice = "notice",
    /// A notice that suggests an action.
    Suggestion = "suggestion",
    /// A notice that something is wrong.
    Warning = "warning",
}

/// A notice for the person, for example the message of a hook, a report that a hook failed, or a report that a hook
/// blocked a prompt. The model does not see the notice.
///
/// The CLI sends this message when the reported event happens.
#[wire(tag(type = "system", subtype = "informational"))]
pub struct Informational {
    /// The text of the notice.
    pub content: String,
    /// The importance of the notice.
    pub level: InformationalLevel,
    fields: Identity!(),
    /// The ID of the tool use that the notice is about. Absent if the notice is not about a tool
    /// use.
    pub tool_use_id: Option<ToolUseId>,
    /// Whether the event that the notice reports prevents the turn from continuing. Absent means `false`.
    pub prevent_continuation: Option<bool>,
    /// The subject of the notice: a code such as `hook_callback_failed`.
    pub tag: Option<String>,
    /// Whether the prompt was kept, and why it was not accepted. Sent if the notice is about a prompt that was not
    /// accepted.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// The model that may not be used. Sent if the notice is about a model restriction.
    pub model_restriction: Option<ModelRestriction>,
    /// The hook that gave no decision. Sent if the notice is about a hook without a decision.
    pub hook_no_verdict: Option<HookNoVerdict>,
    /// The note that a plugin left for an agent. Sent if the notice is about such a note.
    #[wire(since = "2.1.332")]
    pub agent_note: Option<AgentNote>,
}

/// A note that a plugin left for an agent about the work of another agent.
#[wire]
pub struct AgentNote {
    /// The agent that receives the note.
    pub to: NotedAgent,
    /// The agent whose work the note is about. It did not write the note.
    pub about: NotedAgent,
    /// The text of the note. A model wrote it.
    pub text: String,
    /// The ID of the plugin that left the note: `NAME@builtin` for a plugin of Claude Code itself.
    pub source: String,
}

/// An agent that receives a note, or whose work a note is about.
#[wire]
pub struct NotedAgent {
    /// The kind of agent.
    pub kind: NotedAgentKind,
    /// The description of the agent's task. A model wrote it. Absent if the CLI does not know the task.
    pub description: Option<String>,
    /// The ID of the tool use that started the agent. Absent if the CLI does not know the tool use.
    pub tool_use_id: Option<ToolUseId>,
}

/// The kind of an agent in a note.
#[wire(open)]
pub enum NotedAgentKind {
    /// The main conversation of this session.
    Main = "main",
    /// An agent of this session.
    Agent = "agent",
    /// Another session of Claude Code.
    Session = "session",
}

/// The outcome for a prompt that was not accepted: whether it was kept, and why it was not accepted.
#[wire]
pub struct PromptSubmitOutcome {
    /// The reason why the prompt was not accepted, such as `blocked_by_hook` or `no_verdict`.
    pub kind: Option<String>,
    /// Whether the prompt stays in the conversation although it was not accepted.
    pub prompt_kept: Option<bool>,
    /// The reason why the prompt was not accepted, in the hook's words.
    pub reason: Option<String>,
    /// The reason why the hook gave no decision. Sent only if `kind` is `no_verdict`. The CLI does not document its
    /// values.
    pub no_verdict_kind: Option<String>,
}

/// The priority of a notification.
#[wire(open)]
pub enum NotificationPriority {
    /// A notification of low priority.
    Low = "low",
    /// A notification of medium priority.
    Medium = "medium",
    /// A notification of high priority.
    High = "high",
    /// A notification that must be shown at once.
    Immediate = "immediate",
}

/// A short text for the person. It is not part of the conversation.
///
/// The CLI sends this message when it has a short text to show to the person. A later notification with the same `key`
/// replaces this one.
#[wire(tag(type = "system", subtype = "notification"))]
pub struct Notification {
    /// The subject of the notification. A host shows one notification for each key at a time.
    pub key: String,
    /// The text of the notification.
    pub text: String,
    /// The priority of the notification.
    pub priority: NotificationPriority,
    fields: Identity!(),
    /// The colour of the notification: the name of a colour in the CLI's theme.
    pub color: Option<String>,
    /// The time for which to show the notification, in milliseconds. Absent if the host may choose the time.
    pub timeout_ms: Option<Number>,
}

/// The output of a slash command that ran without the model.
///
/// The CLI sends this message for some commands. For other commands it sends a
/// [`UserMessageReplay`](super::UserMessageReplay) or an
/// [`AssistantMessage`](super::AssistantMessage).
#[wire(tag(type = "system", subtype = "local_command_output"))]
pub struct LocalCommandOutput {
    /// The output of the command.
    pub content: String,
    fields: Identity!(),
}

/// A tool use that the CLI denied without asking the host.
///
/// The CLI sends this message when a rule or the permission mode denies a tool use. It does not send this message for
/// every denial. The field `permission_denials` of the result lists all denials.
#[wire(tag(type = "system", subtype = "permission_denied"))]
pub struct PermissionDenied {
    /// The name of the tool whose use was denied.
    pub tool_name: String,
    /// The ID of the denied tool use.
    pub tool_use_id: ToolUseId,
    /// The message that the model receives in place of a result.
    pub message: String,
    fields: Identity!(),
    /// The ID of the sub-agent that made this tool use. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// The kind of reason for the denial.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// The reason for the denial, in words.
    pub decision_reason: Option<String>,
    /// A code for the reason of the denial, such as `outside_reads_blocked` or `memory_paused`. Sent if the host can
    /// remove the cause of the denial.
    pub decision_reason_code: Option<String>,
}

/// A suggestion for the person's next prompt.
///
/// The CLI sends this message after the result, if prompt suggestions were requested.
#[wire(tag(type = "prompt_suggestion"))]
pub struct PromptSuggestion {
    /// The suggested prompt.
    pub suggestion: String,
    fields: Identity!(),
}

/// The point at which the CLI found that a model is restricted: at the start of the session, at a
/// switch of the model, or when the session was resumed.
#[wire(open)]
pub enum ModelRestrictionPoint {
    /// The restriction was found at the start of the session.
    Start = "start",
    /// The restriction was found when the session was to switch to the model.
    Switch = "switch",
    /// The restriction was found when the session was resumed.
    Resume = "resume",
}

/// A model that the session may not use, and the model that is used in its place.
#[wire]
pub struct ModelRestriction {
    /// The model that was requested.
    pub requested_model: String,
    /// The model that is used instead.
    pub effective_model: String,
    /// The point at which the restriction was found: the start of the session, a switch of the
    /// model, or a resumption.
    pub at: Option<ModelRestrictionPoint>,
}

/// A hook that was asked for a decision on a tool use, but gave none.
#[wire]
pub struct HookNoVerdict {
    /// The event for which the hook was called.
    pub hook_event: String,
    /// The ID of the tool use that awaited the decision.
    pub tool_use_id: ToolUseId,
    /// Whether the hook timed out.
    pub timed_out: bool,
    /// The ID of the plugin that provides the hook. Sent only for the hook of a plugin.
    pub plugin_id: Option<String>,
    /// The directory of the plugin that provides the hook. Sent only for the hook of a plugin.
    pub plugin_root: Option<String>,
}
