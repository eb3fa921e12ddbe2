//! The handshake with a server before the CLI starts one.

use std::time::Duration;

use claw_types::Json;
use claw_types::control::SdkMcpServerManifest;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, Implementation, InitializeRequest,
    InitializeRequestParams, InitializedNotification, ListToolsRequest, ProtocolVersion, RequestId,
};
use tokio::time::timeout;

use super::connection::Connection;

/// Maximum delay of the start by all servers together.
const BUDGET: Duration = Duration::from_millis(250);

/// The version of MCP that the CLI uses. The CLI accepts no other version in a handshake.
const VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Returns the handshake results of a server. `None` if it does not answer in time.
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
            // If the list requires several requests, the CLI itself reads it.
            listed.get("nextCursor").is_none().then_some(listed)
        }
        None => None,
    };
    let mut manifest = SdkMcpServerManifest::new(begun);
    manifest.tools_list_result = tools;
    Some(manifest)
}

/// Returns the result of a call. Its ID is a string, so that it differs from the CLI's IDs.
async fn call(connection: &Connection, id: &str, request: ClientRequest) -> Option<Json> {
    let id = RequestId::String(format!("claw-{id}").into());
    let answer = connection.call(id, request, None).await.ok()??;
    answer.get("result")
}
