//! `ClaudeDesign`: operations of a design service.

use crate::Json;

/// What `ClaudeDesign` is given: an operation, and what that one takes.
#[wire]
pub struct ClaudeDesignInput {
    /// The operation. `list` says which others there are.
    pub operation: String,
    /// What it is given: an object, `{}` for nothing. The service checks it.
    pub arguments: Json,
}

/// What `ClaudeDesign` gives.
#[wire(rename_all = "camelCase")]
pub struct ClaudeDesignOutput {
    /// The operation.
    pub operation: String,
    /// What it gave: content blocks as an MCP tool gives them.
    pub content: Vec<Json>,
    /// Whether it failed.
    pub is_error: Option<bool>,
}

#[cfg(test)]
mod tests;
