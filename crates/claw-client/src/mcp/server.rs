//! A server, as it is handed to a session.

use std::fmt;
use std::time::Duration;

use claw_types::control::SdkMcpServerConfig;
use claw_types::options::{McpSdkServer, McpServerConfig, McpToolPolicy};
use rmcp::ServerHandler;

use super::connection::{Serve, serve};

/// An MCP server that lives in this process, with what holds for it in the session.
///
/// Made of any [`ServerHandler`], which goes wherever this does. Cheap to clone, and every clone is
/// the same server: several sessions may have it.
#[derive(Clone)]
pub struct McpServer {
    pub(super) serve: Serve,
    pub(super) config: SdkMcpServerConfig,
}

impl McpServer {
    /// A server for which nothing holds but what holds for all.
    pub fn new(server: impl ServerHandler) -> Self {
        Self {
            serve: serve(server),
            config: SdkMcpServerConfig::new(),
        }
    }

    /// Sets how long one call of a tool may take; then the CLI gives it up, and the model reads that
    /// it took too long. Without it a call may take as long as the CLI's environment says
    /// (`MCP_TOOL_TIMEOUT`), by default next to for ever. The CLI ignores what is under a second.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        self.config.timeout = Some(millis.into());
        self
    }

    /// Sets what holds for single tools, by their names on the server.
    #[must_use]
    pub fn tools(mut self, policies: impl IntoIterator<Item = McpToolPolicy>) -> Self {
        self.config.tools = Some(policies.into_iter().collect());
        self
    }

    /// As `mcp_set_servers` has it.
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
