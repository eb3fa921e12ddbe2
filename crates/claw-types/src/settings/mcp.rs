//! Rules about which MCP servers may be used.

/// A rule that allows or denies MCP servers. Exactly one of the fields is set and identifies the servers.
#[wire(rename_all = "camelCase")]
pub struct McpServerRule {
    /// The name of the server.
    pub server_name: Option<String>,
    /// The command and arguments of a stdio server.
    pub server_command: Option<Vec<String>>,
    /// The URL of the server. `*` is a wildcard.
    pub server_url: Option<String>,
}
