//! Servers that are added and removed during the session.

use claw_types::control::{McpSetServers, McpSetServersResponse};
use futures::future::BoxFuture;

use super::builder::SessionBuilder;
use crate::handle::Session;
use crate::mcp::McpServer;
use crate::outcome::error::Error;

impl SessionBuilder {
    /// Adds an MCP server that runs in this process. `server` can be any [`rmcp::ServerHandler`]. The model sees its
    /// tools as `mcp__name__tool`. See [`mcp`](crate::mcp) for the guarantees.
    ///
    /// The server replaces an earlier server of the same name.
    pub fn mcp_server(self, name: impl Into<String>, server: impl Into<McpServer>) -> Self {
        self.mcp.insert(name.into(), server.into());
        self
    }
}

impl Session {
    /// Adds an MCP server that runs in this process. The CLI starts the handshake with the server
    /// after its response to this call, and the model sees the server's tools from the next request
    /// on.
    ///
    /// This method calls [`set_mcp_servers`](Self::set_mcp_servers) with all current servers of
    /// this process. Servers that your program has set with `set_mcp_servers` are removed. Servers
    /// in the options stay.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call). Also fails if a server of that name exists in this process:
    /// [`Error::is_bad_request`] is true for that error. After an error, the server is not added.
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
            // The server is added before the call, because the CLI may start the handshake before it sends the
            // response.
            host.insert(name.clone(), server);
            let servers = host.declarations_without(None);
            let answer = session.call(McpSetServers::new(servers)).await;
            if answer.is_err() {
                host.remove(&name);
            }
            answer
        })
    }

    /// Removes an MCP server that runs in this process, by the same call as
    /// [`add_mcp_server`](Self::add_mcp_server). The server's task ends, and its running calls are
    /// cancelled.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call). Also fails if no server of that name exists in this
    /// process: [`Error::is_bad_request`] is true for that error. After an error, the server is not removed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped after its first poll, the CLI may have removed the server.
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
