//! Requests about the usage of the session.

use crate::message::{ExtraUsage, ModelUsage};
use crate::{Count, Map, Number, Tri};

/// To `claude`: get the cost of the session, as text.
#[wire(tag(subtype = "get_session_cost"), response = GetSessionCostResponse)]
pub struct GetSessionCost {}

/// The response to `get_session_cost`.
#[wire]
pub struct GetSessionCostResponse {
    /// The text to display, which has several lines.
    pub text: String,
}

/// To `claude`: get the cost and token usage of the session, and the used share of the subscription plan's limits.
#[wire(tag(subtype = "get_usage"), response = GetUsageResponse)]
pub struct GetUsage {
    /// Whether the response leaves out the field `behaviors`. To compute `behaviors`, the CLI reads the transcripts of
    /// the last seven days. Absent means `false`.
    #[wire(since = "2.1.329")]
    pub skip_behaviors: Option<bool>,
}

/// The response to `get_usage`.
#[wire]
pub struct GetUsageResponse {
    /// The usage of the session.
    pub session: SessionUsage,
    /// The type of the subscription, such as `pro`, `max`, `team` or `enterprise`. Null if the account has no
    /// subscription.
    #[wire(nullable)]
    pub subscription_type: Option<String>,
    /// Whether the limits of a subscription plan apply to the session.
    pub rate_limits_available: bool,
    /// The used share of each limit of the subscription plan. Null if the account has no plan, or if the CLI could not
    /// retrieve the usage.
    #[wire(nullable)]
    pub rate_limits: Option<PlanLimits>,
    /// The kinds of use that took up the plan's limits, such as long contexts. The CLI computes them from the
    /// transcripts on its machine. Null if the account has no plan.
    #[wire(nullable)]
    pub behaviors: Option<UsageBehaviors>,
}

/// The usage of a session.
#[wire]
pub struct SessionUsage {
    /// The cost of the session, in US dollars.
    pub total_cost_usd: Number,
    /// The total time spent waiting for the API, in milliseconds.
    pub total_api_duration_ms: Count,
    /// The time since the session began, in milliseconds.
    pub total_duration_ms: Count,
    /// The number of lines added to files.
    pub total_lines_added: Count,
    /// The number of lines removed from files.
    pub total_lines_removed: Count,
    /// The token usage and cost, by model.
    pub model_usage: Map<ModelUsage>,
}

/// The used share of each limit of a subscription plan.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct PlanLimits {
    /// The used share of the five-hour limit.
    pub five_hour: Tri<PlanWindow>,
    /// The used share of the seven-day limit.
    pub seven_day: Tri<PlanWindow>,
    /// The used share of the seven-day limit for applications that log in with OAuth.
    pub seven_day_oauth_apps: Tri<PlanWindow>,
    /// The used share of the seven-day limit for Opus models.
    pub seven_day_opus: Tri<PlanWindow>,
    /// The used share of the seven-day limit for Sonnet models.
    pub seven_day_sonnet: Tri<PlanWindow>,
    /// The seven-day limits that apply to one model only, with the name of the model.
    pub model_scoped: Option<Vec<PlanModelWindow>>,
    /// The paid usage beyond the plan.
    pub extra_usage: Tri<ExtraUsage>,
}

/// The used share of one limit, and the time at which the limit is reset.
#[wire]
pub struct PlanWindow {
    /// The used share of the limit, in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// The time at which the limit is reset, in ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
}

/// The used share of the limit for one model, and the time at which the limit is reset.
#[wire]
pub struct PlanModelWindow {
    /// The display name of the model.
    pub display_name: String,
    /// The used share of the limit, in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// The time at which the limit is reset, in ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
}

/// The kinds of use (behaviours) that took up a plan's limits, such as long contexts or many parallel sessions.
#[wire]
pub struct UsageBehaviors {
    /// The behaviours of the last 24 hours.
    pub day: UsagePeriod,
    /// The behaviours of the last seven days.
    pub week: UsagePeriod,
}

/// The use of a plan's limits in one period, broken down by behaviours, sub-agents, skills, plugins and MCP servers.
#[wire]
pub struct UsagePeriod {
    /// The number of requests that the CLI found in the transcripts of this period.
    pub request_count: Count,
    /// The number of sessions that the CLI found in the transcripts of this period.
    pub session_count: Count,
    /// The behaviours in this period. Their shares of the usage can overlap.
    pub behaviors: Vec<UsageBehavior>,
    /// Recommendations for reducing the usage. The first one concerns the largest share of the usage.
    pub recommendations: Option<Vec<UsageRecommendation>>,
    /// Prompts that make the model carry out some of the recommendations. Absent if the CLI suggests no prompts.
    pub fix: Option<UsageFix>,
    /// The share of the usage that each sub-agent caused.
    pub agents: Vec<UsageShare>,
    /// The share of the usage that each skill caused.
    pub skills: Vec<UsageShare>,
    /// The share of the usage that each plugin caused.
    pub plugins: Vec<UsageShare>,
    /// The share of the usage that each MCP server caused.
    pub mcp_servers: Vec<UsageShare>,
}

/// A behaviour that takes up a plan's limits, and its share of the usage.
#[wire]
pub struct UsageBehavior {
    /// The key of the behaviour.
    pub key: UsageBehaviorKey,
    /// The share of the usage that the behaviour caused, in percent.
    pub pct: Number,
    /// The number of requests that show the behaviour.
    pub count: Count,
}

/// The key of a behaviour that takes up a plan's limits.
#[wire(open)]
pub enum UsageBehaviorKey {
    /// Requests that could not use the prompt cache.
    CacheMiss = "cache_miss",
    /// Conversations with a long context.
    LongContext = "long_context",
    /// A large number of sub-agents.
    SubagentHeavy = "subagent_heavy",
    /// A large number of parallel sessions.
    HighParallel = "high_parallel",
    /// Prompts that a schedule submits.
    Cron = "cron",
    /// The highest effort level.
    MaxEffort = "max_effort",
    /// Workflows of several agents.
    Workflow = "workflow",
    /// Context that is in every conversation.
    AlwaysOnContext = "always_on_context",
    /// Large results of tools.
    LargeToolResults = "large_tool_results",
}

/// A recommendation for reducing the usage.
#[wire]
pub struct UsageRecommendation {
    /// The subject of the recommendation: the key of a behaviour, or `agent`, `skill`, `plugin` or `mcp_server`.
    pub key: String,
    /// The share of the usage that the recommendation is about, in percent.
    pub pct: Number,
    /// The recommended action.
    pub title: String,
    /// A further line of text about the recommendation: why the CLI recommends this action, or how to carry it out.
    pub detail: Option<String>,
}

/// Prompts that make the model carry out recommendations.
#[wire]
pub struct UsageFix {
    /// The keys of the recommendations to which the prompts belong.
    pub keys: Vec<String>,
    /// The prompts that carry out the recommendations. The host should send the prompts one after the other, with the
    /// priority `later`.
    pub messages: Vec<String>,
}

/// The share of the usage that one sub-agent, skill, plugin or MCP server caused.
#[wire]
pub struct UsageShare {
    /// The name of the sub-agent, skill, plugin or MCP server.
    pub name: String,
    /// The share of the usage that the sub-agent, skill, plugin or MCP server caused, in percent.
    pub pct: Number,
}
