//! Requests about MCP servers.

use crate::options::McpServerConfig;
use crate::{Json, Map};

/// In both directions: a JSON-RPC message to or from one of the host's own MCP servers.
///
/// If `claude` sends this control request, the JSON-RPC message is a request or a notification to the server. The host
/// responds with a [`McpMessageResponse`], even to a notification. If the host sends this control request, the JSON-RPC
/// message is a request or a notification from the server. `claude` then sends a response without contents.
#[wire(tag(subtype = "mcp_message"), response = Option<McpMessageResponse>)]
pub struct McpMessage {
    /// The name of the MCP server.
    pub server_name: String,
    /// The JSON-RPC message. If `claude` sends a JSON-RPC request, its ID is a number that counts from 0 for each
    /// server.
    pub message: Json,
}

/// The host's response to `mcp_message`.
#[wire]
pub struct McpMessageResponse {
    /// The JSON-RPC response from the server. If `mcp_message` contained a notification, this field can be any JSON-RPC
    /// result.
    pub mcp_response: Json,
}

/// To `claude`: get the status of the MCP servers.
#[wire(tag(subtype = "mcp_status"), rename_all = "camelCase", response = McpStatusResponse)]
pub struct McpStatus {
    /// Whether the CLI sends the response only to the clients that are attached at the moment, and does not store the
    /// response. Meant only for sessions in the cloud or under remote control.
    #[wire(since = "2.1.329")]
    pub live_reply: Option<bool>,
}

/// The response to `mcp_status`.
#[wire(rename_all = "camelCase")]
pub struct McpStatusResponse {
    /// The MCP servers and their status.
    pub mcp_servers: Vec<McpServerStatus>,
}

/// The status of an MCP server.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// The name of the MCP server.
    pub name: String,
    /// The connection status of the server.
    pub status: McpConnection,
    /// The name and version that the server states about itself. Sent only if the server is connected.
    pub server_info: Option<McpServerIdentity>,
    /// The reason why the connection failed.
    pub error: Option<String>,
    /// The configuration of the server. The environment variables of a stdio server are left out.
    pub config: Option<McpServerConfig>,
    /// The transport of the server, such as `stdio`, `http`, `sse` or `sdk`.
    #[wire(since = "2.1.329")]
    pub transport: Option<String>,
    /// The scope in which the server was declared, such as `dynamic` (by the host), `user`, `project` or `local`.
    pub scope: Option<String>,
    /// The kind of place in which the server was declared: `sdk` (a server in the host's process), `plugin`, or a scope
    /// such as `user` or `project`.
    pub source: Option<String>,
    /// The tools of the server. Sent only if the server is connected.
    pub tools: Option<Vec<McpToolInfo>>,
}

/// The connection status of an MCP server.
#[wire(open)]
pub enum McpConnection {
    /// The server is connected.
    Connected = "connected",
    /// The connection failed.
    Failed = "failed",
    /// The server requires a login.
    NeedsAuth = "needs-auth",
    /// The connection is being established.
    Pending = "pending",
    /// The server is disabled.
    Disabled = "disabled",
}

/// The name and version that an MCP server states about itself.
#[wire]
pub struct McpServerIdentity {
    /// The name that the server gives itself.
    pub name: String,
    /// The version of the server.
    pub version: String,
}

/// A tool of an MCP server.
#[wire]
pub struct McpToolInfo {
    /// The name that the MCP server gives the tool.
    pub name: String,
    /// A description of the tool.
    pub description: Option<String>,
    /// The server's annotations, which describe how the tool behaves.
    pub annotations: Option<McpToolAnnotations>,
    /// Further metadata that the server sent.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// An MCP server's annotations, which describe how one of its tools behaves. The CLI does not verify the annotations.
#[wire(rename_all = "camelCase")]
pub struct McpToolAnnotations {
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool may destroy data.
    pub destructive: Option<bool>,
    /// Whether the tool interacts with the outside world.
    pub open_world: Option<bool>,
}

/// To `claude`: replace the MCP servers that the host declared. `claude` removes every server of an earlier
/// `mcp_set_servers` request and every server in the host's own process, unless this request lists the server again.
#[wire(tag(subtype = "mcp_set_servers"), response = McpSetServersResponse)]
pub struct McpSetServers {
    /// The servers, by name. `claude` starts the handshake with servers in the host's process only after it has
    /// responded to this request.
    pub servers: Map<McpServerConfig>,
}

/// The response to `mcp_set_servers`.
#[wire]
pub struct McpSetServersResponse {
    /// The names of the servers that were added. Servers that failed are included.
    pub added: Vec<String>,
    /// The names of the servers that were removed.
    pub removed: Vec<String>,
    /// The error messages of the servers that failed, by server name.
    pub errors: Map<String>,
}

/// To `claude`: reconnect an MCP server. `claude` responds with an error if no server has that
/// name, or if the server is disabled or cannot be reached.
#[wire(tag(subtype = "mcp_reconnect"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpReconnect {
    /// The name of the MCP server.
    pub server_name: String,
}

/// To `claude`: enable or disable an MCP server.
#[wire(tag(subtype = "mcp_toggle"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpToggle {
    /// The name of the MCP server.
    pub server_name: String,
    /// Whether to enable the server. `false` disables it.
    pub enabled: bool,
}
