//! Requests about MCP servers that the CLI runs or reaches: a method each, as in `controls.rs`.

use claw_types::Map;
use claw_types::control::{
    ChannelEnable, McpAuthenticate, McpCall, McpClearAuth, McpOauthCallbackUrl, McpReadResource,
    McpReconnect, McpSetServers, McpStatus, McpToggle, SetMcpPermissionModeOverride,
};
use claw_types::options::{McpServerConfig, PermissionMode};

use crate::{Call, Session};

impl Session {
    /// Has these MCP servers, in place of those of an earlier such request. The answer says which
    /// came, which went and what failed.
    pub fn mcp_set_servers(&self, servers: impl Into<Map<McpServerConfig>>) -> Call<McpSetServers> {
        self.request(McpSetServers::new(servers))
    }

    /// Connects an MCP server again; an error says why it cannot be.
    pub fn mcp_reconnect(&self, server_name: impl Into<String>) -> Call<McpReconnect> {
        self.request(McpReconnect::new(server_name))
    }

    /// Switches an MCP server on or off.
    pub fn mcp_toggle(&self, server_name: impl Into<String>, enabled: bool) -> Call<McpToggle> {
        self.request(McpToggle::new(server_name, enabled))
    }

    /// Has a permission mode of its own for the tools of an MCP server: one that asks for more. None
    /// for the session's.
    pub fn set_mcp_permission_mode_override(
        &self,
        server_name: impl Into<String>,
        mode: impl Into<Option<PermissionMode>>,
    ) -> Call<SetMcpPermissionModeOverride> {
        let mut request = SetMcpPermissionModeOverride::new(server_name);
        request.mode = mode.into();
        self.request(request)
    }

    /// Begins a login to an MCP server.
    pub fn mcp_authenticate(&self, server_name: impl Into<String>) -> Call<McpAuthenticate> {
        self.request(McpAuthenticate::new(server_name))
    }

    /// Hands over the address that a login to an MCP server has led back to.
    pub fn mcp_oauth_callback_url(
        &self,
        server_name: impl Into<String>,
        callback_url: impl Into<String>,
    ) -> Call<McpOauthCallbackUrl> {
        self.request(McpOauthCallbackUrl::new(server_name, callback_url))
    }

    /// Forgets the login to an MCP server.
    pub fn mcp_clear_auth(&self, server_name: impl Into<String>) -> Call<McpClearAuth> {
        self.request(McpClearAuth::new(server_name))
    }

    /// Lets an MCP server bring messages into the session.
    pub fn channel_enable(&self, server_name: impl Into<String>) -> Call<ChannelEnable> {
        self.request(ChannelEnable::new(server_name))
    }

    /// Uses a tool of an MCP server, `mcp__server__tool`, without the model. [`McpCall`] says with
    /// which arguments.
    pub fn mcp_call(&self, tool: impl Into<String>) -> Call<McpCall> {
        self.request(McpCall::new(tool))
    }

    /// Reads a resource of an MCP server.
    pub fn mcp_read_resource(
        &self,
        server_name: impl Into<String>,
        uri: impl Into<String>,
    ) -> Call<McpReadResource> {
        self.request(McpReadResource::new(server_name, uri))
    }

    /// Asks how it is with the MCP servers: connected or not, their tools.
    pub fn mcp_status(&self) -> Call<McpStatus> {
        self.request(McpStatus::new())
    }
}
