//! Requests about MCP servers.

use crate::options::McpServerConfig;
use crate::{Json, Map};

/// Both ways: a JSON-RPC message of, or to, one of the host's own MCP servers.
///
/// From `claude` it is a request or a notice to the server, and is answered with
/// [`McpMessageResponse`], notices too. From the host it is a notice or request of the server's; the
/// answer carries nothing.
#[wire(tag(subtype = "mcp_message"), response = Option<McpMessageResponse>)]
pub struct McpMessage {
    /// The server.
    pub server_name: String,
    /// JSON-RPC. Its ids count from 0, for each server apart.
    pub message: Json,
}

/// The host's answer to `mcp_message`.
#[wire]
pub struct McpMessageResponse {
    /// The server's answer, JSON-RPC; for a notice any result.
    pub mcp_response: Json,
}

/// To `claude`: how is it with the MCP servers?
#[wire(tag(subtype = "mcp_status"), rename_all = "camelCase", response = McpStatusResponse)]
pub struct McpStatus {
    /// The answer is for somebody who waits: what was kept does not do.
    #[wire(since = "2.1.329")]
    pub live_reply: Option<bool>,
}

/// The answer to `mcp_status`.
#[wire(rename_all = "camelCase")]
pub struct McpStatusResponse {
    /// The servers.
    pub mcp_servers: Vec<McpServerStatus>,
}

/// An MCP server, and how it is with it.
#[wire(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// Its name.
    pub name: String,
    /// How it is with it.
    pub status: McpConnection,
    /// What it says about itself. Only where it is connected.
    pub server_info: Option<McpServerIdentity>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it is declared, without the variables of a program.
    pub config: Option<McpServerConfig>,
    /// How it is reached: `stdio`, `http`, `sse`, `sdk` ….
    #[wire(since = "2.1.329")]
    pub transport: Option<String>,
    /// Whose it is: `dynamic` (the host's), `user`, `project`, `local` ….
    pub scope: Option<String>,
    /// Who declared it.
    pub source: Option<String>,
    /// Its tools. Only where it is connected.
    pub tools: Option<Vec<McpToolInfo>>,
}

/// How it is with an MCP server.
#[wire(open)]
pub enum McpConnection {
    /// It can be used.
    Connected = "connected",
    /// It could not be reached.
    Failed = "failed",
    /// Somebody has to log in.
    NeedsAuth = "needs-auth",
    /// It is being reached.
    Pending = "pending",
    /// It is switched off.
    Disabled = "disabled",
}

/// What an MCP server says about itself.
#[wire]
pub struct McpServerIdentity {
    /// Its name for itself.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A tool of an MCP server.
#[wire]
pub struct McpToolInfo {
    /// Its name on the server.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// What the server says about how it behaves.
    pub annotations: Option<McpToolAnnotations>,
    /// What the server says besides.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// What an MCP server says about how a tool behaves. Nobody checks it.
#[wire(rename_all = "camelCase")]
pub struct McpToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// It reaches the outer world.
    pub open_world: Option<bool>,
}

/// To `claude`: these are the host's MCP servers from now on. Those that were declared before by
/// this request, and the host's own, go where they are not among them.
#[wire(tag(subtype = "mcp_set_servers"), response = McpSetServersResponse)]
pub struct McpSetServers {
    /// The servers, by name. The host's own among them are asked for their handshake after the
    /// answer.
    pub servers: Map<McpServerConfig>,
}

/// The answer to `mcp_set_servers`.
#[wire]
pub struct McpSetServersResponse {
    /// Servers that were not there before, those that failed among them.
    pub added: Vec<String>,
    /// Servers that are gone.
    pub removed: Vec<String>,
    /// Why, for servers that failed.
    pub errors: Map<String>,
}

/// To `claude`: connect this MCP server again. An error where there is none of that name, or where
/// it is switched off or cannot be reached.
#[wire(tag(subtype = "mcp_reconnect"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpReconnect {
    /// The server.
    pub server_name: String,
}

/// To `claude`: switch this MCP server on or off.
#[wire(tag(subtype = "mcp_toggle"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpToggle {
    /// The server.
    pub server_name: String,
    /// On, or off.
    pub enabled: bool,
}
