//! `RefreshMcpTools`: asks MCP servers for their lists of tools again.

use crate::Count;
use crate::list_of::list_of;

/// The input of the `RefreshMcpTools` tool.
#[wire]
pub struct RefreshMcpToolsInput {
    /// The name of the MCP server to ask. If absent, all connected servers are asked.
    pub server: Option<String>,
}

/// The result of refreshing the tools of an MCP server.
#[wire(open)]
pub enum McpRefreshStatus {
    /// The MCP server responded, and its list of tools was replaced.
    Refreshed = "refreshed",
    /// The MCP server did not respond, and its list of tools is unchanged.
    Error = "error",
    /// The MCP server is not connected. `RefreshMcpTools` does not connect it.
    NotConnected = "not_connected",
}

/// The result of refreshing the tools of one MCP server.
#[wire(rename_all = "camelCase")]
pub struct McpRefresh {
    /// The name of the MCP server.
    pub server: String,
    /// The status of the refresh.
    pub status: McpRefreshStatus,
    /// The number of tools that the MCP server has now.
    pub tool_count: Option<Count>,
    /// The names of tools that the MCP server did not have before.
    pub added: Option<Vec<String>>,
    /// The names of tools that the MCP server no longer has.
    pub removed: Option<Vec<String>>,
    /// The reason why the MCP server did not respond. Absent if it responded.
    pub error: Option<String>,
}

list_of! {
    /// The output of the `RefreshMcpTools` tool: a result for each server that was asked.
    RefreshMcpToolsOutput(McpRefresh)
}

#[cfg(test)]
mod tests;
