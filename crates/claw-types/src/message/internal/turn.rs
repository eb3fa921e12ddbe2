//! The course of a turn: `system` / `turn_duration`, `turn_preempted`, `stop_hook_summary`,
//! `per_turn_effort_changed`, `post_turn_summary`, `task_summary` and `away_summary`.

use super::Identity;
use crate::message::InformationalLevel;
use crate::{Count, MessageUuid, Number, ToolUseId};

/// The duration of a turn.
///
/// The CLI sends this message at the end of the turn. The types of the official SDK do not include
/// this message.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "turn_duration"))]
pub struct TurnDuration {
    /// The elapsed time of the turn, in milliseconds.
    pub duration_ms: Number,
    fields: Identity!(),
    /// The number of output tokens of the turn that count towards its token budget. Sent only if
    /// the turn has a token budget.
    pub budget_tokens: Option<Count>,
    /// The token budget of the turn.
    pub budget_limit: Option<Count>,
    /// The number of times that the CLI asked the model to continue and use more of the budget.
    pub budget_nudges: Option<Count>,
    /// The number of messages in the conversation.
    pub message_count: Option<Count>,
    /// The number of sub-agents that still run in the background.
    pub pending_background_agent_count: Option<Count>,
    /// The number of workflows that still run.
    pub pending_workflow_count: Option<Count>,
}

/// The abort of a turn because the person sent the next prompt.
///
/// The CLI sends this message when it aborts the turn. The result of the turn follows and reports the abort. A host
/// must not send the prompts of the aborted turn again. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "turn_preempted"))]
pub struct TurnPreempted {
    /// The reason for the abort: `rapid_followup` if the next prompt came before the turn had shown
    /// any output.
    pub reason: String,
    /// The UUID of the prompt for which the turn was aborted. This prompt runs next.
    pub preempted_by_uuid: MessageUuid,
    /// The UUIDs of the aborted turn's prompts. Prompts without a UUID are left out.
    pub preempted_message_uuids: Vec<MessageUuid>,
    fields: Identity!(),
}

/// The outcome of the stop hooks, which run when the model or a sub-agent stops.
///
/// The CLI sends this message at the end of a turn. The types of the official SDK do not include
/// this message.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "stop_hook_summary"))]
pub struct StopHookSummary {
    /// The number of hooks that ran.
    pub hook_count: Count,
    /// The hooks that ran.
    pub hook_infos: Vec<StopHookRun>,
    /// The errors of the hooks, one text per hook.
    pub hook_errors: Vec<String>,
    /// Whether a hook prevented the turn from continuing.
    pub prevented_continuation: bool,
    /// Whether a hook wrote output.
    pub has_output: bool,
    /// The importance of the summary.
    pub level: InformationalLevel,
    fields: Identity!(),
    /// The additional context that the hooks give to the model. Errors of the hooks are not included.
    pub hook_additional_context: Option<Vec<String>>,
    /// The reason why a hook ended the turn, in the hook's words.
    pub stop_reason: Option<String>,
    /// The ID that the CLI gave this run of the hooks.
    pub tool_use_id: Option<ToolUseId>,
    /// The display name of the hooks, such as `Stop`.
    pub hook_label: Option<String>,
    /// The total duration of the hooks, in milliseconds.
    pub total_duration_ms: Option<Number>,
}

/// A hook that ran when the model stopped.
#[wire]
pub struct StopHookRun {
    /// The command of the hook.
    pub command: String,
    /// The prompt that the hook sends to a model. Sent only if the hook asks a model.
    pub prompt_text: Option<String>,
    /// The duration of the hook, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// A report that effort levels for single turns were switched off. From then on, all turns have the same effort level.
///
/// If effort levels for single turns are switched on again, the CLI does not send this message. Only
/// [`SystemInit`](crate::message::SystemInit) reports that change. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "system", subtype = "per_turn_effort_changed"))]
pub struct PerTurnEffortChanged {
    /// Whether the effort level can differ from turn to turn: always `false`.
    pub per_turn_effort_active: bool,
    fields: Identity!(),
}

/// A short summary of a turn.
///
/// The CLI creates the summary in the background after an answer. The types of the official SDK do
/// not include this message.
#[wire(tag(type = "system", subtype = "post_turn_summary"))]
pub struct PostTurnSummary {
    /// The UUID of the summarised answer.
    pub summarizes_uuid: MessageUuid,
    /// The category of the turn's outcome, such as `blocked`, `waiting`, `completed`, `review_ready` or `failed`.
    pub status_category: String,
    /// A description of the turn's outcome.
    pub status_detail: String,
    /// The action that the person has to take. Empty if no action is needed.
    pub needs_action: String,
    fields: Identity!(),
}

/// A short text about the session's current activity.
///
/// The CLI sends this message in the middle of a turn when the activity changes. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "task_summary"))]
pub struct TaskSummary {
    /// The text about the current activity. Null if the session is no longer active.
    #[wire(nullable)]
    pub detail: Option<String>,
    fields: Identity!(),
}

/// A summary of what happened while the person was away. The types of the official SDK do not
/// include this message.
#[wire(tag(type = "system", subtype = "away_summary"))]
pub struct AwaySummary {
    /// The text of the summary.
    pub content: String,
    fields: Identity!(),
}
