//! How the model is to work, and how far it may go.

use crate::{Count, Json, Number};

/// Tools that a slash command or skill allows while it runs.
#[wire(tag(type = "command_permissions"), rename_all = "camelCase")]
pub struct CommandPermissionsAttachment {
    /// The rules.
    pub allowed_tools: Vec<String>,
}

/// The model works without questions.
#[wire(tag(type = "auto_mode"), rename_all = "camelCase")]
pub struct AutoModeAttachment {
    /// Whether the person has yet to agree.
    pub auto_mode_consent_flow: Option<bool>,
    /// Whether the model is told to finish what others can see.
    pub finish_exposed_work: Option<bool>,
    /// Whether the shell is preferred to other tools.
    pub bash_first: Option<bool>,
    /// How much it is preferred.
    pub bash_first_steer: Option<String>,
    /// Whether the model is told of that alone.
    pub steer_only: Option<bool>,
    /// Whether permissions are bypassed.
    pub bypass: Option<bool>,
}

/// The model plans, and changes nothing.
#[wire(tag(type = "plan_mode"), rename_all = "camelCase")]
pub struct PlanModeAttachment {
    /// How much it is told: `full` ….
    pub reminder_type: Option<String>,
    /// Whether it is a sub-agent.
    pub is_sub_agent: Option<bool>,
    /// Where the plan is written.
    pub plan_file_path: Option<String>,
    /// Whether it is there already.
    pub plan_exists: Option<bool>,
}

/// The plan is made, and the model may work.
#[wire(tag(type = "plan_mode_exit"), rename_all = "camelCase")]
pub struct PlanModeExitAttachment {
    /// Where the plan is written.
    pub plan_file_path: Option<String>,
    /// Whether it is there.
    pub plan_exists: Option<bool>,
}

/// What the session may cost, in US dollars.
#[wire(tag(type = "budget_usd"), rename_all = "camelCase")]
pub struct BudgetUsdAttachment {
    /// What it has cost.
    pub used: Number,
    /// What it may cost.
    pub total: Number,
    /// What is left; negative where it has cost more.
    pub remaining: Number,
}

/// How many tokens are left, where a session may only use so many.
#[wire(tag(type = "total_tokens_reminder"), rename_all = "camelCase")]
pub struct TotalTokensReminderAttachment {
    /// The text.
    pub text: String,
}

/// The turn has taken as many requests as it may, and ends.
#[wire(tag(type = "max_turns_reached"), rename_all = "camelCase")]
pub struct MaxTurnsReachedAttachment {
    /// How many it may take.
    pub max_turns: Count,
    /// The one that it would have taken next.
    pub turn_count: Count,
    /// Whether the CLI ends with it.
    pub exit_committed: Option<bool>,
}

/// The answer as data, by the schema that the host gave.
#[wire(tag(type = "structured_output"), rename_all = "camelCase")]
pub struct StructuredOutputAttachment {
    /// The data.
    pub data: Json,
    /// The tool use that the model gave it in.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
}

/// A goal that the session works towards.
#[wire(tag(type = "goal_status"), rename_all = "camelCase")]
pub struct GoalStatusAttachment {
    /// Whether it is reached.
    pub met: bool,
    /// The goal, in words.
    pub condition: String,
    /// Whether the CLI itself says so, not a hook.
    pub sentinel: Option<bool>,
}
