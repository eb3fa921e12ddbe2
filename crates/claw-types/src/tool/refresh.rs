//! `RefreshMcpTools`: asking MCP servers again what tools they have.

use crate::Count;
use crate::list_of::list_of;

/// What `RefreshMcpTools` is given.
#[wire]
pub struct RefreshMcpToolsInput {
    /// The server; absent for all that are connected.
    pub server: Option<String>,
}

/// What came of asking a server.
#[wire(open)]
pub enum McpRefreshStatus {
    /// It has answered, and its tools are what it said.
    Refreshed = "refreshed",
    /// It has not; its tools are as they were.
    Error = "error",
    /// It is not connected. The tool does not connect it.
    NotConnected = "not_connected",
}

/// What came of asking one server.
#[wire(rename_all = "camelCase")]
pub struct McpRefresh {
    /// The server.
    pub server: String,
    /// What came of it.
    pub status: McpRefreshStatus,
    /// How many tools it has now.
    pub tool_count: Option<Count>,
    /// Tools that it did not have before.
    pub added: Option<Vec<String>>,
    /// Tools that it has no more.
    pub removed: Option<Vec<String>>,
    /// Why it has not answered.
    pub error: Option<String>,
}

list_of! {
    /// What `RefreshMcpTools` gives: each server that was asked.
    RefreshMcpToolsOutput(McpRefresh)
}

#[cfg(test)]
mod tests;
