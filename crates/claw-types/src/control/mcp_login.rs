//! Requests about logins of MCP servers, and about channels. In no published type.

use super::Request;
use crate::{Extra, Json};
use claw_types_derive::Wire;

/// To `claude`: begin a login to this MCP server. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "mcp_authenticate"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpAuthenticate {
    /// The server.
    pub server_name: String,
    /// Where the login leads back to; absent for an address of the CLI's own.
    pub redirect_uri: Option<String>,
    /// Nowhere else.
    pub redirect_uri_only: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for McpAuthenticate {
    type Response = Option<Json>;
}

/// To `claude`: forget the login to this MCP server. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "mcp_clear_auth"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpClearAuth {
    /// The server.
    pub server_name: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for McpClearAuth {
    type Response = Option<Json>;
}

/// To `claude`: this is where the login to an MCP server has led back to. In no published type.
#[derive(Wire, Clone, PartialEq)]
#[wire(tag(subtype = "mcp_oauth_callback_url"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpOauthCallbackUrl {
    /// The server.
    pub server_name: String,
    /// The address, with what the server put to it.
    #[wire(secret)]
    pub callback_url: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for McpOauthCallbackUrl {
    type Response = Option<Json>;
}

/// To `claude`: let this MCP server bring messages into the session by itself. In no published
/// type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "channel_enable"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChannelEnable {
    /// The server. Has to be connected.
    pub server_name: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ChannelEnable {
    type Response = Option<Json>;
}
