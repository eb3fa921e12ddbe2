//! Requests about what the session has used.

use crate::message::{ExtraUsage, ModelUsage};
use crate::{Count, Map, Number, Tri};

/// To `claude`: what has the session cost, as text?
#[wire(tag(subtype = "get_session_cost"), response = GetSessionCostResponse)]
pub struct GetSessionCost {}

/// The answer to `get_session_cost`.
#[wire]
pub struct GetSessionCostResponse {
    /// Lines to be shown.
    pub text: String,
}

/// To `claude`: what has the session used, and what is left of the plan?
#[wire(tag(subtype = "get_usage"), response = GetUsageResponse)]
pub struct GetUsage {
    /// Leaves `behaviors` out, for which the conversations of seven days are read.
    #[wire(since = "2.1.329")]
    pub skip_behaviors: Option<bool>,
}

/// The answer to `get_usage`.
#[wire]
pub struct GetUsageResponse {
    /// What the session has used.
    pub session: SessionUsage,
    /// The plan: `pro`, `max`, `team`, `enterprise`; null without one.
    #[wire(nullable)]
    pub subscription_type: Option<String>,
    /// Whether a plan's limits hold for the session.
    pub rate_limits_available: bool,
    /// The plan's limits; null without a plan, or where they could not be read.
    #[wire(nullable)]
    pub rate_limits: Option<PlanLimits>,
    /// What the plan's limits were used up by, as far as this machine can tell; null without a
    /// plan.
    #[wire(nullable)]
    pub behaviors: Option<UsageBehaviors>,
}

/// What the session has used.
#[wire]
pub struct SessionUsage {
    /// Cost in US dollars.
    pub total_cost_usd: Number,
    /// Time spent waiting for the API, in milliseconds.
    pub total_api_duration_ms: Count,
    /// Time since it began, in milliseconds.
    pub total_duration_ms: Count,
    /// Lines written into files.
    pub total_lines_added: Count,
    /// Lines taken out of files.
    pub total_lines_removed: Count,
    /// The same by model.
    pub model_usage: Map<ModelUsage>,
}

/// How much of a plan's limits is used.
#[wire]
pub struct PlanLimits {
    /// Of five hours.
    pub five_hour: Tri<PlanWindow>,
    /// Of seven days.
    pub seven_day: Tri<PlanWindow>,
    /// Of seven days, for other applications.
    pub seven_day_oauth_apps: Tri<PlanWindow>,
    /// Of seven days, for Opus.
    pub seven_day_opus: Tri<PlanWindow>,
    /// Of seven days, for Sonnet.
    pub seven_day_sonnet: Tri<PlanWindow>,
    /// Of seven days, for other models.
    pub model_scoped: Option<Vec<PlanModelWindow>>,
    /// What is paid for beyond the plan.
    pub extra_usage: Tri<ExtraUsage>,
}

/// How much of a limit is used.
#[wire]
pub struct PlanWindow {
    /// How much, in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// When it begins anew, as ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
}

/// How much of a model's limit is used.
#[wire]
pub struct PlanModelWindow {
    /// The model, to be shown.
    pub display_name: String,
    /// How much, in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// When it begins anew, as ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
}

/// What a plan's limits were used up by.
#[wire]
pub struct UsageBehaviors {
    /// In 24 hours.
    pub day: UsagePeriod,
    /// In seven days.
    pub week: UsagePeriod,
}

/// What a plan's limits were used up by, in a time.
#[wire]
pub struct UsagePeriod {
    /// How many requests were found.
    pub request_count: Count,
    /// In how many sessions.
    pub session_count: Count,
    /// Ways of working. They overlap.
    pub behaviors: Vec<UsageBehavior>,
    /// What could be done about it, the largest share first.
    pub recommendations: Option<Vec<UsageRecommendation>>,
    /// How some of that can be done. Absent where nothing can.
    pub fix: Option<UsageFix>,
    /// By sub-agent.
    pub agents: Vec<UsageShare>,
    /// By skill.
    pub skills: Vec<UsageShare>,
    /// By plugin.
    pub plugins: Vec<UsageShare>,
    /// By MCP server.
    pub mcp_servers: Vec<UsageShare>,
}

/// A way of working that uses a plan's limits up.
#[wire]
pub struct UsageBehavior {
    /// Which.
    pub key: UsageBehaviorKey,
    /// Its share, in percent.
    pub pct: Number,
    /// In how many requests.
    pub count: Count,
}

/// A way of working that uses a plan's limits up.
#[wire(open)]
pub enum UsageBehaviorKey {
    /// The cache was not of use.
    CacheMiss = "cache_miss",
    /// Long conversations.
    LongContext = "long_context",
    /// Many sub-agents.
    SubagentHeavy = "subagent_heavy",
    /// Many sessions at once.
    HighParallel = "high_parallel",
    /// Scheduled prompts.
    Cron = "cron",
    /// The highest effort.
    MaxEffort = "max_effort",
    /// Workflows.
    Workflow = "workflow",
    /// What is in every conversation.
    AlwaysOnContext = "always_on_context",
    /// Large results of tools.
    LargeToolResults = "large_tool_results",
}

/// What could be done to use less.
#[wire]
pub struct UsageRecommendation {
    /// About what: a way of working, or `agent`, `skill`, `plugin`, `mcp_server`.
    pub key: String,
    /// How much it is about, in percent.
    pub pct: Number,
    /// What to do.
    pub title: String,
    /// What was seen, or the command for it.
    pub detail: Option<String>,
}

/// How to do what was recommended.
#[wire]
pub struct UsageFix {
    /// What of it.
    pub keys: Vec<String>,
    /// Prompts to send, one after the other, with the priority `later`.
    pub messages: Vec<String>,
}

/// A share of what was used.
#[wire]
pub struct UsageShare {
    /// Whose.
    pub name: String,
    /// How much, in percent.
    pub pct: Number,
}
