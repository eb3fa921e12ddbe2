//! Requests about logins of MCP servers, and about channels. In no published type.

use crate::Json;

/// To `claude`: begin a login to this MCP server. In no published type.
#[wire(tag(subtype = "mcp_authenticate"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpAuthenticate {
    /// The server.
    pub server_name: String,
    /// Where the login leads back to; absent for an address of the CLI's own.
    pub redirect_uri: Option<String>,
    /// Nowhere else.
    pub redirect_uri_only: Option<bool>,
}

/// To `claude`: forget the login to this MCP server. In no published type.
#[wire(tag(subtype = "mcp_clear_auth"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpClearAuth {
    /// The server.
    pub server_name: String,
}

/// To `claude`: this is where the login to an MCP server has led back to. In no published type.
#[wire(tag(subtype = "mcp_oauth_callback_url"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpOauthCallbackUrl {
    /// The server.
    pub server_name: String,
    /// The address, with what the server put to it.
    #[wire(secret)]
    pub callback_url: String,
}

/// To `claude`: let this MCP server bring messages into the session by itself. In no published
/// type.
#[wire(tag(subtype = "channel_enable"), rename_all = "camelCase", response = Option<Json>)]
pub struct ChannelEnable {
    /// The server. Has to be connected.
    pub server_name: String,
}
