//! An MCP server as it is added to a session.

use std::fmt;
use std::time::Duration;

use claw_types::control::SdkMcpServerConfig;
use claw_types::options::{McpSdkServer, McpServerConfig, McpToolPolicy};
use rmcp::ServerHandler;

use super::connection::{Serve, serve};

/// An MCP server in this process, with its settings for the session.
///
/// Any [`ServerHandler`] converts into this type and is accepted in its place. Clones share the
/// same server, and several sessions can use it.
#[derive(Clone)]
pub struct McpServer {
    pub(super) serve: Serve,
    pub(super) config: SdkMcpServerConfig,
}

impl McpServer {
    /// Creates a server with the default settings.
    pub fn new(server: impl ServerHandler) -> Self {
        Self {
            serve: serve(server),
            config: SdkMcpServerConfig::new(),
        }
    }

    /// Sets the timeout of a tool call. After that time, the CLI stops waiting and reports to the model that the call
    /// timed out. The default is the value of `MCP_TOOL_TIMEOUT` in the CLI's environment; without that variable, the
    /// CLI practically sets no limit. The CLI ignores values below one second.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        self.config.timeout = Some(millis.into());
        self
    }

    /// Sets the permission policies of single tools of the server. Each policy has the name that the server gives the
    /// tool.
    #[must_use]
    pub fn tools(mut self, policies: impl IntoIterator<Item = McpToolPolicy>) -> Self {
        self.config.tools = Some(policies.into_iter().collect());
        self
    }

    /// Returns the declaration as in `mcp_set_servers`.
    pub(super) fn declaration(&self, name: &str) -> McpServerConfig {
        let mut declared = McpSdkServer::new(name);
        declared.timeout.clone_from(&self.config.timeout);
        declared.tools.clone_from(&self.config.tools);
        declared.into()
    }
}

impl<S: ServerHandler> From<S> for McpServer {
    fn from(server: S) -> Self {
        Self::new(server)
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
