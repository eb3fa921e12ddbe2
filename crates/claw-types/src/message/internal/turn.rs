//! How a turn goes and went: `system` / `turn_duration`, `turn_preempted`, `stop_hook_summary`,
//! `per_turn_effort_changed`, `post_turn_summary`, `task_summary` and `away_summary`.

use super::Identity;
use crate::message::InformationalLevel;
use crate::{Count, MessageUuid, Number, ToolUseId};

/// How long a turn took.
///
/// At its end. In no published type.
#[wire(tag(type = "system", subtype = "turn_duration"))]
pub struct TurnDuration {
    /// By the clock, in milliseconds.
    pub duration_ms: Number,
    fields: Identity!(),
    /// Tokens that the turn wrote and that count towards its budget. Only with a budget.
    pub budget_tokens: Option<Count>,
    /// The budget.
    pub budget_limit: Option<Count>,
    /// How often the model was told to use more of the budget.
    pub budget_nudges: Option<Count>,
    /// How many messages the conversation has.
    pub message_count: Option<Count>,
    /// Sub-agents that still run in the background.
    pub pending_background_agent_count: Option<Count>,
    /// Workflows that still run.
    pub pending_workflow_count: Option<Count>,
}

/// The CLI has stopped a turn to answer the person's next prompt at once.
///
/// To hosts, when it stops the turn: before the turn's result, which says that it was aborted. Its
/// prompts are not to be sent again. In no published type.
#[wire(tag(type = "system", subtype = "turn_preempted"))]
pub struct TurnPreempted {
    /// Why: `rapid_followup`, where the next prompt came before the turn had shown anything.
    pub reason: String,
    /// The prompt that runs next.
    pub preempted_by_uuid: MessageUuid,
    /// The prompts that the stopped turn was for, as far as they have names.
    pub preempted_message_uuids: Vec<MessageUuid>,
    fields: Identity!(),
}

/// How the hooks went that run when the model or a sub-agent stops.
///
/// At the end of a turn. In no published type.
#[wire(tag(type = "system", subtype = "stop_hook_summary"))]
pub struct StopHookSummary {
    /// How many ran.
    pub hook_count: Count,
    /// Each of them.
    pub hook_infos: Vec<StopHookRun>,
    /// What went wrong, a text a hook.
    pub hook_errors: Vec<String>,
    /// Whether one of them ended the turn.
    pub prevented_continuation: bool,
    /// Whether one of them wrote something.
    pub has_output: bool,
    /// How much it matters.
    pub level: InformationalLevel,
    fields: Identity!(),
    /// What they tell the model that is no error.
    pub hook_additional_context: Option<Vec<String>>,
    /// Why the turn was ended, in the hook's words.
    pub stop_reason: Option<String>,
    /// The tool use that it is about.
    pub tool_use_id: Option<ToolUseId>,
    /// What to call the hooks.
    pub hook_label: Option<String>,
    /// How long they took, in milliseconds.
    pub total_duration_ms: Option<Number>,
}

/// A hook that ran when the model stopped.
#[wire]
pub struct StopHookRun {
    /// Its command.
    pub command: String,
    /// Its prompt, where it asks a model.
    pub prompt_text: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// Whether each turn has an effort of its own has changed.
///
/// To hosts, when it no longer has; that it has stands in [`SystemInit`](crate::message::SystemInit). In no
/// published type.
#[wire(tag(type = "system", subtype = "per_turn_effort_changed"))]
pub struct PerTurnEffortChanged {
    /// Whether it has: `false`.
    pub per_turn_effort_active: bool,
    fields: Identity!(),
}

/// What a turn came to, in short.
///
/// After an answer, made in the background. In no published type.
#[wire(tag(type = "system", subtype = "post_turn_summary"))]
pub struct PostTurnSummary {
    /// The answer.
    pub summarizes_uuid: MessageUuid,
    /// What sort of outcome it is.
    pub status_category: String,
    /// The outcome, in words.
    pub status_detail: String,
    /// What the person has to do.
    pub needs_action: String,
    fields: Identity!(),
}

/// What the session does at the moment, in a phrase.
///
/// In the middle of a turn, when it changes. In no published type.
#[wire(tag(type = "system", subtype = "task_summary"))]
pub struct TaskSummary {
    /// The phrase; null when the session does nothing any more.
    #[wire(nullable)]
    pub detail: Option<String>,
    fields: Identity!(),
}

/// What happened while the person was away. In no published type.
#[wire(tag(type = "system", subtype = "away_summary"))]
pub struct AwaySummary {
    /// The text.
    pub content: String,
    fields: Identity!(),
}
