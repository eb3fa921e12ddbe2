//! Checks whether the MCP servers in the settings can be connected. For this, claude is started in this folder, without
//! hooks and without a prompt.

use std::time::Duration;

use claw_client::transport::Shutdown;
use claw_client::types::QueryOptions;
use claw_client::types::control::{McpConnection, McpServerStatus};
use claw_client::{Error, Session};
use claw_view::unconnected_sentence;
use tokio::time::{Instant, sleep};

use super::check::Check;

/// The maximum time for the start of claude.
const START: Duration = Duration::from_secs(15);
/// The maximum time for the connections of the servers.
const CONNECT: Duration = Duration::from_secs(10);
/// The interval at which the states of the servers are requested while one of them is pending.
const AGAIN: Duration = Duration::from_millis(200);

const MEND: &str =
    "Run `claude mcp list` in this folder. Without it, sessions have no tools of the server.";

/// Returns one check for each server that is not connected, or a single check if all are connected. Returns nothing if
/// there are no servers, or if claude does not start, which other checks report.
pub(super) async fn check(options: &QueryOptions) -> Vec<Check> {
    let options = options.clone().persist_session(false);
    let options = options.settings(serde_json::json!({"disableAllHooks": true}));
    let builder = Session::builder(options).initialize_timeout(START);
    let Ok(session) = builder.connect().await else {
        return Vec::new();
    };
    let servers = servers(&session).await.unwrap_or_default();
    // The outcome is ignored, because it contains nothing about the servers.
    let _ = session.close_with(Shutdown::now()).await;
    let is_enabled = |server: &&McpServerStatus| server.status != McpConnection::Disabled;
    let enabled: Vec<_> = servers.iter().filter(is_enabled).collect();
    let lacking = enabled.iter();
    let lacking = lacking.filter(|server| server.status != McpConnection::Connected);
    let lacking: Vec<_> = lacking
        .map(|server| {
            let text = unconnected_sentence(&server.name, server.status.as_str());
            Check::warning("mcp", text, MEND)
        })
        .collect();
    if lacking.is_empty() && !enabled.is_empty() {
        let names: Vec<_> = enabled.iter().map(|server| &*server.name).collect();
        return vec![Check::good(
            "mcp",
            format!("connected: {}", names.join(", ")),
        )];
    }
    lacking
}

/// Waits until no server is pending, but at most for the duration [`CONNECT`]. Returns the states of the servers.
async fn servers(session: &Session) -> Result<Vec<McpServerStatus>, Error> {
    let until = Instant::now() + CONNECT;
    loop {
        let servers = session.mcp_status().await?.mcp_servers;
        let is_pending = |server: &McpServerStatus| server.status == McpConnection::Pending;
        if Instant::now() >= until || !servers.iter().any(is_pending) {
            return Ok(servers);
        }
        sleep(AGAIN).await;
    }
}
