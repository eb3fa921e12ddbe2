//! Events around tools and permissions.

use crate::control::{McpServerProvenance, PermissionUpdate};
use crate::{Count, Json, ToolUseId};

hook_input! {
    /// A tool is about to be used: before rules and callbacks decide whether it may.
    PreToolUseInput = "PreToolUse" {
        /// The tool.
        pub tool_name: String,
        /// What it would be given.
        pub tool_input: Json,
        /// The use.
        pub tool_use_id: ToolUseId,
        /// The MCP server whose tool it is.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

hook_input! {
    /// A tool was used.
    PostToolUseInput = "PostToolUse" {
        /// The tool.
        pub tool_name: String,
        /// What it was given.
        pub tool_input: Json,
        /// What it gave: any JSON, a shape of the tool's own.
        pub tool_response: Json,
        /// The use.
        pub tool_use_id: ToolUseId,
        /// How long it took, in milliseconds, without the time in which permission was asked for.
        pub duration_ms: Option<Count>,
        /// The MCP server whose tool it is.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

hook_input! {
    /// A tool failed.
    PostToolUseFailureInput = "PostToolUseFailure" {
        /// The tool.
        pub tool_name: String,
        /// What it was given.
        pub tool_input: Json,
        /// The use.
        pub tool_use_id: ToolUseId,
        /// Why, in words.
        pub error: String,
        /// It was interrupted.
        pub is_interrupt: Option<bool>,
        /// How long it took, in milliseconds.
        pub duration_ms: Option<Count>,
        /// The MCP server whose tool it is.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

hook_input! {
    /// All tools of one answer were used; the model is asked next.
    PostToolBatchInput = "PostToolBatch" {
        /// The uses.
        pub tool_calls: Vec<BatchedToolCall>,
    }
}

/// One use of a tool among those of an answer.
#[wire]
pub struct BatchedToolCall {
    /// The tool.
    pub tool_name: String,
    /// What it was given.
    pub tool_input: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// What the model is shown of its result: text, or blocks. Absent where there is none.
    pub tool_response: Option<Json>,
}

hook_input! {
    /// A permission is about to be asked for. The host's `can_use_tool` is asked at the same time;
    /// the first answer counts.
    PermissionRequestInput = "PermissionRequest" {
        /// The tool.
        pub tool_name: String,
        /// What it would be given.
        pub tool_input: Json,
        /// Changes that would make the question unnecessary.
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// The MCP server whose tool it is.
        pub mcp_server: Option<McpServerProvenance>,
    }
}

hook_input! {
    /// A permission was refused by the classifier of the mode `auto`.
    PermissionDeniedInput = "PermissionDenied" {
        /// The tool.
        pub tool_name: String,
        /// What it would have been given.
        pub tool_input: Json,
        /// The use.
        pub tool_use_id: ToolUseId,
        /// Why, in words.
        pub reason: String,
        /// The MCP server whose tool it is.
        pub mcp_server: Option<McpServerProvenance>,
    }
}
