//! Structured reports that are sent together with the text of an answer: the contents of the
//! context window, and the usage.

use super::ExtraUsage;
use crate::control::{ContextKind, SessionUsage};
use crate::{Count, Number, Tri};

/// The contents of the context window, as structured data. The CLI sends this report together with the text that
/// answers `/context`.
#[wire]
pub struct ContextUsage {
    /// The name of the model whose context window this report describes.
    pub model: String,
    /// The estimated number of tokens in use. The number can be larger than the context window.
    pub total_tokens: Count,
    /// The number of tokens at which the context window counts as full: the limit of the model, or the smaller limit at
    /// which the conversation is compacted.
    pub raw_max_tokens: Count,
    /// The used share of the context window, in percent. The value can be above 100.
    pub percentage: Number,
    /// The limit that is exceeded, and by how much. Absent if no limit is exceeded.
    pub over_limit: Option<ContextOverLimit>,
    /// The categories of tokens: used tokens, free tokens, and tokens that are kept free.
    pub categories: Vec<ContextUsageCategory>,
    /// The MCP tools whose definitions are in the context window.
    pub mcp_tools: Vec<ContextUsageTool>,
    /// The instruction files in the context window.
    pub memory_files: Vec<ContextUsageFile>,
    /// The sub-agents whose definitions are in the context window. Sub-agents that are built into the CLI are left out.
    pub agents: Vec<ContextUsageAgent>,
    /// The skills in the context window. Absent if the session has none.
    pub skills: Option<Vec<ContextUsageSkill>>,
}

/// A category of tokens in the context window.
#[wire]
pub struct ContextUsageCategory {
    /// The display name of the category, in English.
    pub name: String,
    /// The number of tokens in the category. A category of 0 tokens need not be shown.
    pub tokens: Count,
    /// What the category contains: used tokens, free tokens, or tokens that are kept free.
    pub kind: ContextKind,
}

/// A limit that the context window exceeds, and by how much.
#[wire]
pub struct ContextOverLimit {
    /// The number of tokens above the limit.
    pub tokens_over: Count,
    /// The limit that is exceeded.
    pub kind: ContextLimit,
}

/// A limit of the context window.
#[wire(open)]
pub enum ContextLimit {
    /// The model's own limit, as far as the CLI knows: the API accepts no more tokens.
    HardLimit = "hard_limit",
    /// The size at which the conversation is compacted.
    CompactionWindow = "compaction_window",
}

/// An MCP tool in the context window, and its number of tokens.
#[wire]
pub struct ContextUsageTool {
    /// The name of the tool, as the model uses it.
    pub name: String,
    /// The name of the MCP server.
    pub server_name: String,
    /// The number of tokens that the tool takes in the context window.
    pub tokens: Count,
}

/// An instruction file in the context window, and its number of tokens.
#[wire]
pub struct ContextUsageFile {
    /// The path of the file.
    pub path: String,
    /// The display name of the file's scope, such as `User` or `Project`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The number of tokens that the file takes in the context window.
    pub tokens: Count,
}

/// A sub-agent whose definition is in the context window, and its number of tokens.
#[wire]
pub struct ContextUsageAgent {
    /// The type of the sub-agent.
    pub agent_type: String,
    /// The source of the sub-agent, such as `userSettings`, `projectSettings` or `plugin`.
    pub source: String,
    /// The number of tokens that the sub-agent's definition takes in the context window.
    pub tokens: Count,
}

/// A skill in the context window, and its number of tokens.
#[wire]
pub struct ContextUsageSkill {
    /// The name of the skill.
    pub name: String,
    /// The source of the skill, such as `built-in`, `userSettings`, `projectSettings` or `plugin`.
    pub source: String,
    /// The name of the plugin that provides the skill. Absent if no plugin provides it.
    pub plugin_name: Option<String>,
    /// The number of tokens that the skill takes in the context window.
    pub tokens: Count,
}

/// The usage of the session and of the subscription plan's limits, as structured data. The CLI sends this report
/// together with the text that answers `/usage`.
#[wire]
pub struct UsageReport {
    /// The usage of the session.
    pub session: SessionUsage,
    /// The usage of the plan's limits. Null if the account has no plan.
    #[wire(nullable)]
    pub rate_limits: Option<UsageLimits>,
}

/// The usage of a plan's limits.
#[wire]
pub struct UsageLimits {
    /// The limits of the plan. Null if the CLI could not read the limits.
    #[wire(nullable)]
    pub limits: Option<Vec<UsageLimit>>,
    /// The paid usage beyond the plan.
    pub extra_usage: Tri<ExtraUsage>,
}

/// A usage limit of a plan.
#[wire]
pub struct UsageLimit {
    /// The kind of the limit, as Anthropic's server names it.
    pub kind: String,
    /// The name that Anthropic's server has for the group of limits to which this limit belongs.
    pub group: String,
    /// The used share of the limit, in percent.
    pub percent: Number,
    /// The time at which the limit is reset, in ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
    /// The model or surface to which the limit applies. Absent or null if the limit applies to all use.
    pub scope: Tri<UsageLimitScope>,
    /// The rating of the usage by Anthropic's server, such as `normal`, `warning` or `critical`.
    pub severity: String,
    /// Whether a host that shows only one limit should show this limit.
    pub is_active: bool,
}

/// The model to which a plan's limit applies, or the surface (the way of using Claude).
#[wire]
pub struct UsageLimitScope {
    /// The model to which the limit applies.
    pub model: Tri<UsageLimitSubject>,
    /// The surface (the way of using Claude) to which the limit applies.
    pub surface: Tri<UsageLimitSubject>,
}

/// A model or a surface (a way of using Claude) to which a plan's limit applies.
#[wire]
pub struct UsageLimitSubject {
    /// The display name of the model or surface.
    pub display_name: String,
}
