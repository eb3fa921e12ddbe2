//! Checks the MCP servers that must be connected when a turn begins.

use claw_client::types::Message;
use claw_view::{unconnected_server, unconnected_servers};

use crate::escape::escape;
use crate::outcome::{Outcome, write_stderr};

/// Checks that the required servers are connected, if the message contains their states. `all` requires every server
/// that is configured and not disabled.
///
/// # Errors
///
/// Fails if a required server is not connected. Before that, prints a line on stderr for each such server.
pub(super) fn check(message: &Message, required: &[String]) -> Result<(), Outcome> {
    let Message::SystemInit(init) = message else {
        return Ok(());
    };
    let mut missing = Vec::new();
    for name in required {
        if name == "all" {
            missing.extend(unconnected_servers(init));
        } else {
            missing.extend(unconnected_server(init, name));
        }
    }
    for line in &missing {
        write_stderr(&format!("claw: required: {}\n", escape(line)));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Outcome::McpMissing)
    }
}
