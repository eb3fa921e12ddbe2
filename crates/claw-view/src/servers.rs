//! Describes problems at the start of a session: MCP servers that are not connected, and hooks that delay the start.

use std::time::Duration;

use claw_types::message::{McpServerError, McpServerInfo, SystemInit};

use crate::text::one_line_of;

/// The maximum length of a name, and the maximum length of a reason, in characters.
const MOST: usize = 80;
const LONGEST_REASON: usize = 200;

/// Returns a sentence for each MCP server that is not connected when a turn begins. Leaves out servers that are
/// disabled.
///
/// ```
/// use claw_types::{Message, from_line};
/// use claw_view::{unconnected_server, unconnected_servers};
///
/// let line = r#"{"type":"system","subtype":"init","apiKeySource":"none","claude_code_version":"2.1.330",
///     "cwd":"/work","tools":[],"mcp_servers":[{"name":"web","status":"failed"},{"name":"calc","status":"connected"}],
///     "model":"m","permissionMode":"default","slash_commands":[],"output_style":"default","skills":[],"plugins":[],
///     "uuid":"u","session_id":"s"}"#;
/// let Message::SystemInit(init) = from_line(line.as_bytes())? else { unreachable!() };
/// assert_eq!(unconnected_servers(&init), ["The MCP server web is not connected: failed."]);
/// assert_eq!(unconnected_server(&init, "calc"), None);
/// assert_eq!(unconnected_server(&init, "x").unwrap(), "There is no MCP server x.");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn unconnected_servers(init: &SystemInit) -> Vec<String> {
    let unconnected = init.unconnected_servers().map(unconnected);
    let invalid = init.mcp_server_errors.iter().flatten().map(invalid);
    unconnected.chain(invalid).collect()
}

/// Returns a sentence with the reason why the MCP server with this name is not connected when a turn begins. Returns
/// `None` if the server is connected.
pub fn unconnected_server(init: &SystemInit, name: &str) -> Option<String> {
    if init.is_server_connected(name) {
        return None;
    }
    let known = init.mcp_servers.iter().find(|server| server.name == name);
    let mut errors = init.mcp_server_errors.iter().flatten();
    let error = errors.find(|error| error.name == name);
    Some(match (known, error) {
        (Some(server), _) => unconnected(server),
        (None, Some(error)) => invalid(error),
        (None, None) => format!("There is no MCP server {}.", one_line_of(name, MOST)),
    })
}

fn unconnected(server: &McpServerInfo) -> String {
    unconnected_sentence(&server.name, &server.status)
}

/// Returns the sentence that an MCP server is not connected. It contains the server's name and status.
pub fn unconnected_sentence(name: &str, status: &str) -> String {
    let (name, status) = (one_line_of(name, MOST), one_line_of(status, MOST));
    format!("The MCP server {name} is not connected: {status}.")
}

fn invalid(error: &McpServerError) -> String {
    let name = one_line_of(&error.name, MOST);
    let reason = one_line_of(&error.message, LONGEST_REASON);
    format!("The MCP server {name} is not connected: its configuration is invalid: {reason}")
}

/// Returns the sentence that a hook of a settings file delays the start of a session. `running_for` is the time since
/// the CLI reported the start of the hook.
pub fn running_hook(name: &str, running_for: Duration) -> String {
    let (name, seconds) = (one_line_of(name, MOST), running_for.as_secs());
    format!("The hook {name} has been running for {seconds} s. Claude Code waits for it.")
}

#[cfg(test)]
mod tests {
    use claw_types::{Message, from_line};
    use serde_json::json;

    use super::*;

    #[test]
    fn each_server_that_is_not_connected_is_named_in_one_line() {
        let servers = json!([{"name": "calc", "status": "connected"}, {"name": "off", "status": "disabled"},
            {"name": "web\n\u{1b}[2J", "status": "needs-auth"}, {"name": "slow", "status": "pending"}]);
        let errors =
            json!([{"name": "odd", "type": "unknown_type", "message": "The type x\nis unknown."}]);
        let line = json!({"type": "system", "subtype": "init", "apiKeySource": "none", "claude_code_version": "2.1.330",
            "cwd": "/work", "tools": [], "mcp_servers": servers, "model": "m", "permissionMode": "default",
            "slash_commands": [], "output_style": "default", "skills": [], "plugins": [], "mcp_server_errors": errors,
            "uuid": "u", "session_id": "s"});
        let Ok(Message::SystemInit(init)) = from_line(line.to_string().as_bytes()) else {
            panic!("{line}")
        };
        let odd = "The MCP server odd is not connected: its configuration is invalid: The type x is unknown.";
        let all = unconnected_servers(&init);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(
            all[0].starts_with("The MCP server web ")
                && all[0].ends_with(" is not connected: needs-auth.")
        );
        assert!(!all[0].contains(char::is_control));
        assert_eq!(all[1], "The MCP server slow is not connected: pending.");
        assert_eq!(all[2], odd);
        let one = |name| unconnected_server(&init, name);
        assert_eq!(one("calc"), None);
        assert_eq!(one("odd").as_deref(), Some(odd));
        let disabled = "The MCP server off is not connected: disabled.";
        assert_eq!(one("off").as_deref(), Some(disabled));
        assert_eq!(one("x").as_deref(), Some("There is no MCP server x."));
    }

    #[test]
    fn a_hook_that_delays_the_start_is_named_with_its_time() {
        let hook = running_hook("SessionStart:startup", Duration::from_millis(10_400));
        assert_eq!(
            hook,
            "The hook SessionStart:startup has been running for 10 s. Claude Code waits for it."
        );
    }
}
