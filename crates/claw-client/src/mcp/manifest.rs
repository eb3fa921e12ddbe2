//! The handshake before the CLI starts it.

use std::time::Duration;

use claw_types::Json;
use claw_types::control::SdkMcpServerManifest;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, Implementation, InitializeRequest,
    InitializeRequestParams, InitializedNotification, ListToolsRequest, ProtocolVersion, RequestId,
};
use tokio::time::timeout;

use super::connection::Connection;

/// The highest time for which all servers together may delay the start.
const BUDGET: Duration = Duration::from_millis(250);

/// The version of MCP that the CLI uses. It accepts a handshake of no other version.
const VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Returns the handshake results of a server. `None` if it does not answer, or takes too long.
pub(super) async fn of(connection: &Connection) -> Option<SdkMcpServerManifest> {
    timeout(BUDGET, handshake(connection)).await.ok()?
}

async fn handshake(connection: &Connection) -> Option<SdkMcpServerManifest> {
    let who = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let params = InitializeRequestParams::new(ClientCapabilities::default(), who)
        .with_protocol_version(VERSION);
    let begun = call(
        connection,
        "initialize",
        InitializeRequest::new(params).into(),
    )
    .await?;
    let done = InitializedNotification::default();
    connection.send(ClientJsonRpcMessage::notification(done.into()), None);
    let tools = match begun.get("capabilities")?.get("tools") {
        Some(_) => {
            let listed = call(connection, "tools", ListToolsRequest::default().into()).await?;
            // The CLI itself reads a list that needs several requests.
            listed.get("nextCursor").is_none().then_some(listed)
        }
        None => None,
    };
    let mut manifest = SdkMcpServerManifest::new(begun);
    manifest.tools_list_result = tools;
    Some(manifest)
}

/// Returns the result of a call. Its ID is a text, so that it differs from the CLI's.
async fn call(connection: &Connection, id: &str, request: ClientRequest) -> Option<Json> {
    let id = RequestId::String(format!("claw-{id}").into());
    let answer = connection.call(id, request, None).await.ok()??;
    answer.get("result")
}
