//! Attachments about working modes, limits and goals.

use crate::{Count, Json, Number};

/// An attachment with the tools that a slash command or skill allows while it runs.
#[wire(tag(type = "command_permissions"), rename_all = "camelCase")]
pub struct CommandPermissionsAttachment {
    /// The permission rules.
    pub allowed_tools: Vec<String>,
}

/// An attachment for the auto mode, in which the model works without asking the user.
#[wire(tag(type = "auto_mode"), rename_all = "camelCase")]
pub struct AutoModeAttachment {
    /// Whether the user still has to consent to the auto mode.
    pub auto_mode_consent_flow: Option<bool>,
    /// Whether the attachment instructs the model to finish work that others can see.
    pub finish_exposed_work: Option<bool>,
    /// Whether the attachment instructs the model to prefer the shell to other tools.
    pub bash_first: Option<bool>,
    /// How strongly the attachment instructs the model to prefer the shell to other tools. The CLI does not document
    /// its values.
    pub bash_first_steer: Option<String>,
    /// Whether the attachment contains only the preference for the shell.
    pub steer_only: Option<bool>,
    /// Whether permission checks are bypassed.
    pub bypass: Option<bool>,
}

/// An attachment for plan mode, in which the model plans and changes nothing.
#[wire(tag(type = "plan_mode"), rename_all = "camelCase")]
pub struct PlanModeAttachment {
    /// The kind of reminder that the model receives, such as `full`.
    pub reminder_type: Option<String>,
    /// Whether the agent in plan mode is a sub-agent.
    pub is_sub_agent: Option<bool>,
    /// The path of the plan file.
    pub plan_file_path: Option<String>,
    /// Whether the plan file exists already.
    pub plan_exists: Option<bool>,
}

/// An attachment for the end of plan mode, after which the model may make changes.
#[wire(tag(type = "plan_mode_exit"), rename_all = "camelCase")]
pub struct PlanModeExitAttachment {
    /// The path of the plan file.
    pub plan_file_path: Option<String>,
    /// Whether the plan file exists.
    pub plan_exists: Option<bool>,
}

/// An attachment with the session's budget, in US dollars.
#[wire(tag(type = "budget_usd"), rename_all = "camelCase")]
pub struct BudgetUsdAttachment {
    /// The cost so far, in US dollars.
    pub used: Number,
    /// The budget, in US dollars.
    pub total: Number,
    /// The remaining budget, in US dollars. Negative if the session has exceeded its budget.
    pub remaining: Number,
}

/// An attachment with the number of remaining tokens. The CLI writes it only if the session has a token budget.
#[wire(tag(type = "total_tokens_reminder"), rename_all = "camelCase")]
pub struct TotalTokensReminderAttachment {
    /// The text of the reminder.
    pub text: String,
}

/// An attachment for a turn that ends because it reached its maximum number of requests (`max_turns`).
#[wire(tag(type = "max_turns_reached"), rename_all = "camelCase")]
pub struct MaxTurnsReachedAttachment {
    /// The maximum number of requests in the turn.
    pub max_turns: Count,
    /// The number of the request that the limit prevented, counted within the turn.
    pub turn_count: Count,
    /// Whether the CLI exits after the turn.
    pub exit_committed: Option<bool>,
}

/// An attachment with the structured output of the model. The output fits the JSON Schema that the host (the program
/// that runs `claude`) gave.
#[wire(tag(type = "structured_output"), rename_all = "camelCase")]
pub struct StructuredOutputAttachment {
    /// The structured output. Its form is given by the host's JSON Schema.
    pub data: Json,
    /// The ID of the tool use in which the model gave the output.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
}

/// An attachment with the status of a goal towards which the session works (`/goal`).
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "goal_status"), rename_all = "camelCase")]
pub struct GoalStatusAttachment {
    /// Whether the goal is reached.
    pub met: bool,
    /// The condition of the goal, in words.
    pub condition: String,
    /// Whether the CLI itself reports the status. If `false` or absent, a hook reports it.
    pub sentinel: Option<bool>,
    /// Whether the goal cannot be reached. The CLI then gives the goal up.
    pub failed: Option<bool>,
    /// The reason for the status, in the words of the model that judged it.
    pub reason: Option<String>,
    /// The number of turns since the goal was set. Present once the goal is reached or given up.
    pub iterations: Option<Count>,
    /// The time since the goal was set, in milliseconds. Present once the goal is reached or given up.
    pub duration_ms: Option<Number>,
    /// The number of output tokens since the goal was set. Present once the goal is reached or given up.
    pub tokens: Option<Count>,
}

/// An attachment with an instruction for the model of a session that was forked from another session (`/fork`).
#[wire(tag(type = "fork_briefing"), rename_all = "camelCase")]
pub struct ForkBriefingAttachment {
    /// The text of the instruction, such as to use a separate worktree.
    pub text: String,
}
