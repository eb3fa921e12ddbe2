//! The handshake, before the CLI begins it.

use std::time::Duration;

use claw_types::Json;
use claw_types::control::SdkMcpServerManifest;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, Implementation, InitializeRequest,
    InitializeRequestParams, InitializedNotification, ListToolsRequest, ProtocolVersion, RequestId,
};
use tokio::time::timeout;

use super::connection::Connection;

/// How long all servers together may hold the start up.
const BUDGET: Duration = Duration::from_millis(250);

/// The one that the CLI speaks; it takes no handshake of another.
const VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// What a server answers to the handshake. `None` where it does not, or takes too long.
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
    connection.tell(ClientJsonRpcMessage::notification(done.into()), None);
    let tools = match begun.get("capabilities")?.get("tools") {
        Some(_) => {
            let listed = call(connection, "tools", ListToolsRequest::default().into()).await?;
            // The CLI reads on by itself where one answer is not all.
            listed.get("nextCursor").is_none().then_some(listed)
        }
        None => None,
    };
    let mut manifest = SdkMcpServerManifest::new(begun);
    manifest.tools_list_result = tools;
    Some(manifest)
}

/// The result of a call. Its id is a text, so that it is none of the CLI's.
async fn call(connection: &Connection, id: &str, request: ClientRequest) -> Option<Json> {
    let id = RequestId::String(format!("claw-{id}").into());
    let answer = connection.call(id, request, None).await.ok()??;
    answer.get("result")
}
