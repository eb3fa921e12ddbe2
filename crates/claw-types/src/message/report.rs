//! Reports that stand beside the text of an answer: what fills the context window, what was used.

use crate::control::{ContextKind, SessionUsage};
use crate::{Count, Number, Tri};

/// What fills the context window, as data: beside the text that answers `/context`.
#[wire]
pub struct ContextUsage {
    /// The model whose window it is.
    pub model: String,
    /// Tokens in use: an estimate, and more than the window holds where it is too full.
    pub total_tokens: Count,
    /// Tokens that are in use when the conversation is compacted.
    pub raw_max_tokens: Count,
    /// How full that is, in percent; more than 100 where it is too full.
    pub percentage: Number,
    /// By how much it is too full. Absent where it is not.
    pub over_limit: Option<ContextOverLimit>,
    /// What takes how much, what is free and what is kept free.
    pub categories: Vec<ContextUsageCategory>,
    /// Tools of MCP servers.
    pub mcp_tools: Vec<ContextUsageTool>,
    /// Files of instructions.
    pub memory_files: Vec<ContextUsageFile>,
    /// Sub-agents that are not the CLI's own.
    pub agents: Vec<ContextUsageAgent>,
    /// Skills. Absent where there are none.
    pub skills: Option<Vec<ContextUsageSkill>>,
}

/// A category of what fills the context window.
#[wire]
pub struct ContextUsageCategory {
    /// Its name, in English, to be shown.
    pub name: String,
    /// How much it takes; 0 is not worth showing.
    pub tokens: Count,
    /// What it means.
    pub kind: ContextKind,
}

/// By how much the context window is too full.
#[wire]
pub struct ContextOverLimit {
    /// Tokens that are too many.
    pub tokens_over: Count,
    /// Which limit it is.
    pub kind: ContextLimit,
}

/// What limits the context window.
#[wire(open)]
pub enum ContextLimit {
    /// The model, as far as the CLI knows: the API takes no more.
    HardLimit = "hard_limit",
    /// The size at which the conversation is compacted.
    CompactionWindow = "compaction_window",
}

/// A tool of an MCP server, and what it takes.
#[wire]
pub struct ContextUsageTool {
    /// Its name, as the model uses it.
    pub name: String,
    /// The server.
    pub server_name: String,
    /// How much it takes.
    pub tokens: Count,
}

/// A file of instructions, and what it takes.
#[wire]
pub struct ContextUsageFile {
    /// The file.
    pub path: String,
    /// Whose it is, to be shown: `User`, `Project` ….
    #[wire(rename = "type")]
    pub kind: String,
    /// How much it takes.
    pub tokens: Count,
}

/// A sub-agent, and what it takes.
#[wire]
pub struct ContextUsageAgent {
    /// Its name.
    pub agent_type: String,
    /// Where it comes from: `userSettings`, `projectSettings`, `plugin` ….
    pub source: String,
    /// How much it takes.
    pub tokens: Count,
}

/// A skill, and what it takes.
#[wire]
pub struct ContextUsageSkill {
    /// Its name.
    pub name: String,
    /// Where it comes from: `built-in`, `userSettings`, `projectSettings`, `plugin` ….
    pub source: String,
    /// The plugin that it comes from.
    pub plugin_name: Option<String>,
    /// How much it takes.
    pub tokens: Count,
}

/// What was used, as data: beside the text that answers `/usage`.
#[wire]
pub struct UsageReport {
    /// What the session has used.
    pub session: SessionUsage,
    /// What is left of the plan; null without one.
    #[wire(nullable)]
    pub rate_limits: Option<UsageLimits>,
}

/// What is left of a plan.
#[wire]
pub struct UsageLimits {
    /// Its limits; null where they could not be read.
    #[wire(nullable)]
    pub limits: Option<Vec<UsageLimit>>,
    /// What is paid for beyond the plan.
    pub extra_usage: Tri<ExtraUsage>,
}

/// A limit of a plan.
#[wire]
pub struct UsageLimit {
    /// Which.
    pub kind: String,
    /// With which others it belongs.
    pub group: String,
    /// How much is used, in percent.
    pub percent: Number,
    /// When it begins anew, as ISO 8601.
    #[wire(nullable)]
    pub resets_at: Option<String>,
    /// What it is for; absent or null for everything.
    pub scope: Tri<UsageLimitScope>,
    /// How near its end is.
    pub severity: String,
    /// Whether it is the one that counts.
    pub is_active: bool,
}

/// What a limit of a plan is for.
#[wire]
pub struct UsageLimitScope {
    /// A model.
    pub model: Tri<UsageLimitSubject>,
    /// A way to use it.
    pub surface: Tri<UsageLimitSubject>,
}

/// Something that a limit of a plan is for.
#[wire]
pub struct UsageLimitSubject {
    /// What it is called.
    pub display_name: String,
}

/// What is paid for beyond a plan.
#[wire]
pub struct ExtraUsage {
    /// Whether it is.
    pub is_enabled: bool,
    /// At most so much a month; null for no limit.
    #[wire(nullable)]
    pub monthly_limit: Option<Number>,
    /// How much it is so far.
    #[wire(nullable)]
    pub used_credits: Option<Number>,
    /// The same in percent.
    #[wire(nullable)]
    pub utilization: Option<Number>,
    /// In what money.
    pub currency: Tri<String>,
}
