//! Requests about logins of MCP servers, and about channels. Not part of the official SDK's
//! published types.

use crate::Json;

/// To `claude`: start a login to an MCP server. Not part of the official SDK's published types.
#[wire(tag(subtype = "mcp_authenticate"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpAuthenticate {
    /// The name of the MCP server.
    pub server_name: String,
    /// The URI to which the browser is redirected at the end of the login. Absent means that the CLI chooses a URI of
    /// its own.
    pub redirect_uri: Option<String>,
    /// Whether the login may redirect the browser only to `redirectUri`, and to no other URI.
    pub redirect_uri_only: Option<bool>,
}

/// To `claude`: delete the saved login to an MCP server. Not part of the official SDK's published types.
#[wire(tag(subtype = "mcp_clear_auth"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpClearAuth {
    /// The name of the MCP server.
    pub server_name: String,
}

/// To `claude`: complete a login to an MCP server. The request contains the URL to which the login redirected the
/// browser. Not part of the official SDK's published types.
#[wire(tag(subtype = "mcp_oauth_callback_url"), rename_all = "camelCase", response = Option<Json>)]
pub struct McpOauthCallbackUrl {
    /// The name of the MCP server.
    pub server_name: String,
    /// The URL to which the login redirected the browser, including its query parameters.
    #[wire(secret)]
    pub callback_url: String,
}

/// To `claude`: allow an MCP server to send messages into the session. Such a server is called a channel. Not part of
/// the official SDK's published types.
#[wire(tag(subtype = "channel_enable"), rename_all = "camelCase", response = Option<Json>)]
pub struct ChannelEnable {
    /// The name of the MCP server, which must be connected.
    pub server_name: String,
}
