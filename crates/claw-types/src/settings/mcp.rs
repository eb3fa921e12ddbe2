//! Which MCP servers may be used.

/// MCP servers that may be used, or may not: said in one of three ways.
#[wire(rename_all = "camelCase")]
pub struct McpServerRule {
    /// By their name.
    pub server_name: Option<String>,
    /// By the program that they are, with its arguments.
    pub server_command: Option<Vec<String>>,
    /// By their address; `*` stands for anything.
    pub server_url: Option<String>,
}
