//! Options for the model's work: thinking, effort, budgets and the form of the output.

use crate::{Count, Json, Unknown};

/// The thinking configuration: whether and how much the model thinks before it answers.
#[wire]
pub enum Thinking {
    /// The model decides how much to think.
    Adaptive(ThinkingAdaptive),
    /// The model thinks within a budget.
    Enabled(ThinkingEnabled),
    /// The model does not think.
    Disabled(ThinkingDisabled),
    /// A configuration that this version of claw does not know. If the options contain such a configuration, claw
    /// rejects them and starts no process.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl Thinking {
    /// Creates a configuration in which the model decides how much to think.
    pub fn adaptive() -> Self {
        ThinkingAdaptive::new().into()
    }

    /// Creates a configuration in which the model thinks within a budget, in tokens.
    pub fn enabled(budget_tokens: impl Into<Count>) -> Self {
        ThinkingEnabled::new().budget_tokens(budget_tokens).into()
    }

    /// Creates a configuration in which the model does not think.
    pub fn disabled() -> Self {
        ThinkingDisabled::new().into()
    }
}

/// The configuration in which the model decides how much to think.
#[wire(tag(type = "adaptive"))]
pub struct ThinkingAdaptive {
    /// The form in which the thinking is shown.
    pub display: Option<ThinkingDisplay>,
}

/// The configuration in which the model thinks within a budget. Use it for models that cannot decide by themselves how
/// much to think.
#[wire(tag(type = "enabled"), rename_all = "camelCase")]
pub struct ThinkingEnabled {
    /// The thinking budget, in tokens. If absent, the model decides how much to think, as with `adaptive`.
    pub budget_tokens: Option<Count>,
    /// The form in which the thinking is shown.
    pub display: Option<ThinkingDisplay>,
}

/// The configuration in which the model does not think before it answers.
#[wire(tag(type = "disabled"))]
pub struct ThinkingDisabled {}

/// The form in which the model's thinking is shown.
#[wire(open)]
pub enum ThinkingDisplay {
    /// A summary of the thinking.
    Summarized = "summarized",
    /// No thinking is shown: thinking blocks have no text.
    Omitted = "omitted",
    /// The main points of the thinking. This value is possible only in `set_max_thinking_tokens`.
    Highlights = "highlights",
}

/// The effort level: how thoroughly the model works.
#[wire(open)]
pub enum EffortLevel {
    /// Low effort, for quick answers.
    Low = "low",
    /// The medium effort level.
    Medium = "medium",
    /// High effort, for thorough answers.
    High = "high",
    /// An extra high effort level.
    Xhigh = "xhigh",
    /// The maximum effort level.
    Max = "max",
}

/// A beta feature of the API.
#[wire(open)]
pub enum Beta {
    /// A context window of one million tokens, for Sonnet 4 and 4.5.
    Context1M = "context-1m-2025-08-07",
}

/// A token budget. The CLI tells the model the size of the budget, so that the model can plan its work.
#[wire]
pub struct TaskBudget {
    /// The size of the budget, in tokens.
    pub total: Count,
}

/// The required form of the final output. The result of the turn contains this output in the field `structured_output`.
#[wire]
pub enum OutputFormat {
    /// JSON that conforms to a schema.
    JsonSchema(Box<JsonSchemaFormat>),
    /// A form of output that this version of claw does not know. If the options contain such a form, claw rejects them
    /// and starts no process.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl OutputFormat {
    /// Creates a format that requires JSON output. The output must conform to this JSON Schema.
    pub fn json_schema(schema: impl Into<Json>) -> Self {
        JsonSchemaFormat::new(schema).into()
    }
}

/// Output as JSON that conforms to a schema.
#[wire(tag(type = "json_schema"))]
pub struct JsonSchemaFormat {
    /// The JSON Schema, an object.
    pub schema: Json,
}
