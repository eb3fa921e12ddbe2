//! How the model works: thinking, effort, budgets, the form of its answer.

use crate::{Count, Json, Unknown};

/// Whether and how the model thinks before it answers.
#[wire]
pub enum Thinking {
    /// As it sees fit.
    Adaptive(ThinkingAdaptive),
    /// Up to a budget.
    Enabled(ThinkingEnabled),
    /// Not at all.
    Disabled(ThinkingDisabled),
    /// A way that claw does not know. Refused before anything is started.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl Thinking {
    /// As the model sees fit.
    pub fn adaptive() -> Self {
        ThinkingAdaptive::new().into()
    }

    /// Up to a budget, in tokens.
    pub fn enabled(budget_tokens: impl Into<Count>) -> Self {
        ThinkingEnabled::new().budget_tokens(budget_tokens).into()
    }

    /// Not at all.
    pub fn disabled() -> Self {
        ThinkingDisabled::new().into()
    }
}

/// The model thinks as much as it sees fit.
#[wire(tag(type = "adaptive"))]
pub struct ThinkingAdaptive {
    /// What is shown of it.
    pub display: Option<ThinkingDisplay>,
}

/// The model thinks, up to a budget. For models that cannot decide themselves.
#[wire(tag(type = "enabled"), rename_all = "camelCase")]
pub struct ThinkingEnabled {
    /// How many tokens it may take; absent is as `adaptive`.
    pub budget_tokens: Option<Count>,
    /// What is shown of it.
    pub display: Option<ThinkingDisplay>,
}

/// The model does not think.
#[wire(tag(type = "disabled"))]
pub struct ThinkingDisabled {}

/// What is shown of the model's thoughts.
#[wire(open)]
pub enum ThinkingDisplay {
    /// A summary.
    Summarized = "summarized",
    /// Nothing: the blocks come without text.
    Omitted = "omitted",
    /// Their main points. Only in `set_max_thinking_tokens`.
    Highlights = "highlights",
}

/// How hard the model works.
#[wire(open)]
pub enum EffortLevel {
    /// Quick answers.
    Low = "low",
    /// In between.
    Medium = "medium",
    /// Thorough.
    High = "high",
    /// More than thorough.
    Xhigh = "xhigh",
    /// As hard as it can.
    Max = "max",
}

/// A beta feature of the API.
#[wire(open)]
pub enum Beta {
    /// A context window of a million tokens, for Sonnet 4 and 4.5.
    Context1M = "context-1m-2025-08-07",
}

/// A budget of tokens that the model is told about, so that it can pace itself.
#[wire]
pub struct TaskBudget {
    /// How many tokens in all.
    pub total: Count,
}

/// The form that the answer has to have. It then stands in the result's `structured_output`.
#[wire]
pub enum OutputFormat {
    /// JSON of a given schema.
    JsonSchema(Box<JsonSchemaFormat>),
    /// A form that claw does not know. Refused before anything is started.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl OutputFormat {
    /// JSON of this schema.
    pub fn json_schema(schema: impl Into<Json>) -> Self {
        JsonSchemaFormat::new(schema).into()
    }
}

/// JSON of a given schema.
#[wire(tag(type = "json_schema"))]
pub struct JsonSchemaFormat {
    /// A JSON Schema, an object.
    pub schema: Json,
}
