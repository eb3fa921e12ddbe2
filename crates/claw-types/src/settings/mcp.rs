//! Rules about which MCP servers may be used.

/// A rule that allows or denies MCP servers. Exactly one of the fields is set. This field identifies the servers to
/// which the rule applies.
#[wire(rename_all = "camelCase")]
pub struct McpServerRule {
    /// The name of the server.
    pub server_name: Option<String>,
    /// The command and arguments of a stdio server.
    pub server_command: Option<Vec<String>>,
    /// The URL of the server. `*` is a wildcard.
    pub server_url: Option<String>,
}
