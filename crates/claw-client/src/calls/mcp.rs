//! Calls about MCP servers that the CLI runs or connects to, one method each.

use claw_types::Map;
use claw_types::control::{
    ChannelEnable, McpAuthenticate, McpCall, McpClearAuth, McpOauthCallbackUrl, McpReadResource,
    McpReconnect, McpSetServers, McpStatus, McpToggle, SetMcpPermissionModeOverride,
};
use claw_types::options::{McpServerConfig, PermissionMode};

use crate::{Call, Session};

impl Session {
    /// Returns the status of each MCP server: whether it is connected, and which tools it has.
    pub fn mcp_status(&self) -> Call<McpStatus> {
        self.call(McpStatus::new())
    }

    /// Replaces the MCP servers that an earlier call of this method set. The response lists the
    /// servers that were added, were removed or failed.
    #[doc(alias = "mcp_set_servers")]
    pub fn set_mcp_servers(&self, servers: impl Into<Map<McpServerConfig>>) -> Call<McpSetServers> {
        self.call(McpSetServers::new(servers))
    }

    /// Reconnects an MCP server. If the server cannot be connected, the call fails with an error
    /// that contains the reason.
    #[doc(alias = "mcp_reconnect")]
    pub fn reconnect_mcp_server(&self, server_name: impl Into<String>) -> Call<McpReconnect> {
        self.call(McpReconnect::new(server_name))
    }

    /// Enables or disables an MCP server.
    #[doc(alias = "mcp_toggle")]
    pub fn toggle_mcp_server(
        &self,
        server_name: impl Into<String>,
        enabled: bool,
    ) -> Call<McpToggle> {
        self.call(McpToggle::new(server_name, enabled))
    }

    /// Sets a permission mode for the tools of an MCP server, in place of the session's mode. Only
    /// the modes `default` and `auto` are accepted. `None` restores the session's mode.
    #[doc(alias = "set_mcp_permission_mode_override")]
    pub fn set_mcp_permission_mode(
        &self,
        server_name: impl Into<String>,
        mode: impl Into<Option<PermissionMode>>,
    ) -> Call<SetMcpPermissionModeOverride> {
        let mut body = SetMcpPermissionModeOverride::new(server_name);
        body.mode = mode.into();
        self.call(body)
    }

    /// Starts a login to an MCP server.
    #[doc(alias = "mcp_authenticate")]
    pub fn authenticate_mcp_server(&self, server_name: impl Into<String>) -> Call<McpAuthenticate> {
        self.call(McpAuthenticate::new(server_name))
    }

    /// Completes a login to an MCP server: submits the URL to which the login page redirected.
    #[doc(alias = "mcp_oauth_callback_url")]
    pub fn submit_mcp_oauth_callback_url(
        &self,
        server_name: impl Into<String>,
        callback_url: impl Into<String>,
    ) -> Call<McpOauthCallbackUrl> {
        self.call(McpOauthCallbackUrl::new(server_name, callback_url))
    }

    /// Deletes the stored login to an MCP server.
    #[doc(alias = "mcp_clear_auth")]
    pub fn clear_mcp_auth(&self, server_name: impl Into<String>) -> Call<McpClearAuth> {
        self.call(McpClearAuth::new(server_name))
    }

    /// Lets an MCP server send messages into the session.
    #[doc(alias = "channel_enable")]
    pub fn enable_mcp_channel(&self, server_name: impl Into<String>) -> Call<ChannelEnable> {
        self.call(ChannelEnable::new(server_name))
    }

    /// Calls a tool of an MCP server, named `mcp__server__tool`, without the model and without
    /// arguments. [`call`](Self::call) with [`McpCall`] can pass arguments.
    #[doc(alias = "mcp_call")]
    pub fn call_mcp_tool(&self, tool: impl Into<String>) -> Call<McpCall> {
        self.call(McpCall::new(tool))
    }

    /// Reads a resource of an MCP server.
    #[doc(alias = "mcp_read_resource")]
    pub fn read_mcp_resource(
        &self,
        server_name: impl Into<String>,
        uri: impl Into<String>,
    ) -> Call<McpReadResource> {
        self.call(McpReadResource::new(server_name, uri))
    }
}
