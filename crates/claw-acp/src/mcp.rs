//! Converts the client's MCP servers to options of Claude Code.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{HttpHeader, McpServer};
use claw_types::Map;
use claw_types::options::{
    McpHttpServer, McpOtherServer, McpServerConfig, McpSseServer, McpStdioServer,
};

use crate::failure::invalid;

/// Converts the servers of a request. They may contain secrets, so claw sends them to the CLI over stdin.
pub(crate) fn servers(servers: &[McpServer]) -> Result<Map<McpServerConfig>, Error> {
    let mut converted = Map::default();
    for (at, server) in servers.iter().enumerate() {
        let (name, config) = match server {
            McpServer::Stdio(stdio) => {
                let command = stdio.command.to_string_lossy().into_owned();
                let mut config = McpStdioServer::new(command);
                config.args = Some(stdio.args.clone());
                let mut env = Map::default();
                for variable in &stdio.env {
                    env.insert(variable.name.clone(), variable.value.clone());
                }
                config.env = Some(env);
                (&stdio.name, McpServerConfig::Stdio(Box::new(config)))
            }
            McpServer::Http(http) => {
                let mut config = McpHttpServer::new(&*http.url);
                config.headers = Some(headers(&http.headers));
                let config = McpOtherServer::Http(Box::new(config));
                (&http.name, McpServerConfig::Other(config))
            }
            McpServer::Sse(sse) => {
                let mut config = McpSseServer::new(&*sse.url);
                config.headers = Some(headers(&sse.headers));
                let config = McpOtherServer::Sse(Box::new(config));
                (&sse.name, McpServerConfig::Other(config))
            }
            _ => {
                return Err(invalid(format!(
                    "mcpServers[{at}]: the transport is unknown"
                )));
            }
        };
        if converted.get(name).is_some() {
            return Err(invalid(format!(
                "mcpServers[{at}]: a second server has the name `{name}`"
            )));
        }
        converted.insert(name.clone(), config);
    }
    Ok(converted)
}

fn headers(headers: &[HttpHeader]) -> Map<String> {
    let mut converted = Map::default();
    for header in headers {
        converted.insert(header.name.clone(), header.value.clone());
    }
    converted
}
