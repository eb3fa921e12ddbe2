//! `ClaudeDesign`: operations of a design service.

use crate::Json;

/// The input of the `ClaudeDesign` tool: an operation and its arguments.
#[wire]
pub struct ClaudeDesignInput {
    /// The name of the operation. The operation `list` lists all other operations.
    pub operation: String,
    /// The arguments of the operation: an object, or `{}` if the operation takes none. The service
    /// validates the object.
    pub arguments: Json,
}

/// The output of the `ClaudeDesign` tool.
#[wire(rename_all = "camelCase")]
pub struct ClaudeDesignOutput {
    /// The name of the operation that was called.
    pub operation: String,
    /// The result of the operation: content blocks in the form of MCP tool results.
    pub content: Vec<Json>,
    /// Whether the operation failed. Absent means `false`.
    pub is_error: Option<bool>,
}

#[cfg(test)]
mod tests;
