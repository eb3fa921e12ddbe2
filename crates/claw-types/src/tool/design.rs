//! `ClaudeDesign`: operations of a design service.

use claw_types_derive::Wire;

use crate::{Extra, Json};

/// What `ClaudeDesign` is given: an operation, and what that one takes.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClaudeDesignInput {
    /// The operation. `list` says which others there are.
    pub operation: String,
    /// What it is given: an object, `{}` for nothing. The service checks it.
    pub arguments: Json,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `ClaudeDesign` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClaudeDesignOutput {
    /// The operation.
    pub operation: String,
    /// What it gave: content blocks as an MCP tool gives them.
    pub content: Vec<Json>,
    /// Whether it failed.
    pub is_error: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

#[cfg(test)]
mod tests;
