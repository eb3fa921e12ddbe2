//! MCP servers that are not connected when a turn begins.

use claw_client::types::Message;
use claw_client::types::message::{McpServerInfo, SystemInit};

use crate::escape::one_line;
use crate::outcome::{Outcome, say};

/// A line for each server that is neither connected nor disabled. `None` if there is none.
pub(super) fn unconnected(init: &SystemInit) -> Option<String> {
    let servers = init.mcp_servers.iter();
    let servers = servers.filter(|server| !is_connected(server) && server.status != "disabled");
    let lines: Vec<_> = servers.map(line).collect();
    (!lines.is_empty()).then(|| format!("  {}\n", lines.join("\n  ")))
}

/// Checks that the required servers are connected, when a message says which are. `all` requires every one that is
/// configured and not disabled.
///
/// # Errors
///
/// Fails if one is not, after a line on stderr for each.
pub(super) fn check(message: &Message, required: &[String]) -> Result<(), Outcome> {
    let Message::SystemInit(init) = message else {
        return Ok(());
    };
    let mut missing = Vec::new();
    for name in required {
        let mut servers = init.mcp_servers.iter();
        if name == "all" {
            let others = servers.filter(|it| !is_connected(it) && it.status != "disabled");
            missing.extend(others.map(line));
        } else {
            match servers.find(|server| server.name == *name) {
                Some(server) if is_connected(server) => {}
                Some(server) => missing.push(line(server)),
                None => missing.push(format!("There is no MCP server {}.", one_line(name, 80))),
            }
        }
    }
    for line in &missing {
        say(&format!("claw: required: {line}\n"));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Outcome::McpMissing)
    }
}

fn is_connected(server: &McpServerInfo) -> bool {
    server.status == "connected"
}

fn line(server: &McpServerInfo) -> String {
    let (name, status) = (one_line(&server.name, 80), one_line(&server.status, 40));
    format!("The MCP server {name} is not connected: {status}.")
}
