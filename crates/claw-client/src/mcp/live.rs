//! Servers that come and go while the session goes on.

use claw_types::control::{McpSetServers, McpSetServersResponse};
use futures::future::BoxFuture;

use super::McpServer;
use crate::{Error, Session, SessionBuilder};

impl SessionBuilder {
    /// Adds an MCP server that lives in this process: any [`rmcp::ServerHandler`], whole. The model
    /// sees its tools as `mcp__name__tool`. [`mcp`](crate::mcp) says what holds for such servers.
    ///
    /// One of the same name that was added before is replaced.
    pub fn mcp_server(self, name: impl Into<String>, server: impl Into<McpServer>) -> Self {
        self.mcp.insert(name.into(), server.into());
        self
    }
}

impl Session {
    /// Adds an MCP server that lives in this process. The CLI has its handshake with it after the
    /// answer, and the model its tools from the next request on.
    ///
    /// Tells the CLI by [`set_mcp_servers`](Self::set_mcp_servers) all the servers that it is to have from now on: those of
    /// this process. Servers that the application has set by that call itself go; those of the
    /// options stay.
    ///
    /// # Errors
    ///
    /// [`Error::is_bad_request`] if there is one of that name in this process. Otherwise as
    /// [`call`](Self::call); then it is not added.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped after its first poll, the server may have been added.
    pub fn add_mcp_server(
        &self,
        name: impl Into<String>,
        server: impl Into<McpServer>,
    ) -> BoxFuture<'static, Result<McpSetServersResponse, Error>> {
        let (session, name, server) = (self.clone(), name.into(), server.into());
        Box::pin(async move {
            let host = &session.shared.mcp;
            let _turn = host.changing.lock().await;
            if host.has(&name) {
                return Err(refused(&name, "there is one of that name"));
            }
            // Before the CLI knows of it: its handshake may come ahead of the answer.
            host.insert(name.clone(), server);
            let servers = host.declarations_without(None);
            let answer = session.call(McpSetServers::new(servers)).await;
            if answer.is_err() {
                host.remove(&name);
            }
            answer
        })
    }

    /// Takes an MCP server of this process away, as [`add_mcp_server`](Self::add_mcp_server) adds
    /// one. Its task ends, and the calls that it works on are cancelled.
    ///
    /// # Errors
    ///
    /// [`Error::is_bad_request`] if there is none of that name in this process. Otherwise as
    /// [`call`](Self::call); then it is still there.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped after its first poll, the CLI may have let go of the server.
    pub fn remove_mcp_server(
        &self,
        name: impl Into<String>,
    ) -> BoxFuture<'static, Result<McpSetServersResponse, Error>> {
        let (session, name) = (self.clone(), name.into());
        Box::pin(async move {
            let host = &session.shared.mcp;
            let _turn = host.changing.lock().await;
            if !host.has(&name) {
                return Err(refused(&name, "there is none of that name"));
            }
            let servers = host.declarations_without(Some(&name));
            let answer = session.call(McpSetServers::new(servers)).await?;
            host.remove(&name);
            Ok(answer)
        })
    }
}

fn refused(name: &str, reason: &str) -> Error {
    Error::bad_request(format!("the change of the MCP server `{name}`"), reason)
}
