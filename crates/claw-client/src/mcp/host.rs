//! The MCP servers of a session, and the routing of messages to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use claw_transport::TransportError;
use claw_types::control::{Initialize, McpMessage, SdkMcpServerConfig, SdkMcpServerManifest};
use claw_types::options::{InvalidOption, McpServerConfig};
use claw_types::{Json, Map, QueryOptions};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all, ready};
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, GetMeta as _, Implementation,
    InitializeRequest, InitializeRequestParams, InitializedNotification, ListToolsRequest,
    ProtocolVersion, RequestId,
};
use tokio::sync::SetOnce;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::calls::Answer;
use super::connection::Connection;
use super::pipe::{Link, ToCli};
use crate::outcome::error::Error;
use crate::waiting::ByteBudget;

/// The answer to a message that needs no answer. It is sent because the control request requires a
/// response.
const NOTED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;

/// The highest number of bytes of messages that servers process at the same time. With the overhead
/// of each message, this allows about 4,000 messages.
const MOST: usize = 32 << 20;
const OVERHEAD: usize = 8 << 10;

/// The servers of a session.
#[derive(Default)]
pub(crate) struct Host {
    servers: Mutex<BTreeMap<String, Hosted>>,
    /// The session to which the servers' messages go. Set when the session begins.
    session: Arc<SetOnce<Weak<dyn ToCli>>>,
    /// Cancelled when the session ends.
    end: CancellationToken,
    /// The bytes of the messages that servers are processing.
    at_work: ByteBudget,
    /// Locked while the CLI is notified of a change, so that changes arrive in order.
    pub(crate) changing: tokio::sync::Mutex<()>,
}

struct Hosted {
    server: McpServer,
    /// The current connection. Either the last handshake began it, or a request that needs no handshake.
    connection: Option<Connection>,
}

impl Host {
    /// Adds a server, or replaces the one with the same name.
    pub(crate) fn insert(&self, name: String, server: McpServer) {
        let connection = None;
        let new = Hosted { server, connection };
        // The old server is dropped after the lock is released.
        let _old = self.servers().insert(name, new);
    }

    /// Removes a server and ends its task.
    pub(crate) fn remove(&self, name: &str) {
        // The removed server is dropped after the lock is released.
        let _removed = self.servers().remove(name);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.servers().contains_key(name)
    }

    /// Returns the declarations of all servers but one, as in `mcp_set_servers`.
    pub(crate) fn declarations_without(&self, name: Option<&str>) -> Map<McpServerConfig> {
        let servers = self.servers();
        let others = servers.iter().filter(|(other, _)| name != Some(other));
        others
            .map(|(name, hosted)| (name.clone(), hosted.server.declaration(name)))
            .collect()
    }

    /// Checks that the servers are compatible with the options.
    pub(crate) fn check(&self, options: &QueryOptions) -> Result<(), Error> {
        let servers = self.servers();
        let mut declared = options.mcp_servers.iter().flatten();
        match declared.find(|(name, _)| servers.contains_key(&**name)) {
            Some(_) => Err(TransportError::from(InvalidOption::new(
                "mcp_servers",
                "has a server of the same name as one in this process",
            ))
            .into()),
            None => Ok(()),
        }
    }

    /// Asks the servers for their handshake results and adds them to `initialize`, so that the CLI
    /// does not have to request them.
    pub(crate) async fn prepared(&self, mut initialize: Box<Initialize>) -> Box<Initialize> {
        let servers: Vec<_> = {
            let servers = self.servers();
            let all = servers.iter();
            all.map(|(name, hosted)| (name.clone(), self.connection(name, &hosted.server)))
                .collect()
        };
        let asked = servers.into_iter().map(async |(name, connection)| {
            let manifest = manifest(&connection).await;
            (name, connection, manifest)
        });
        let mut manifests = Map::<SdkMcpServerManifest>::default();
        for (name, connection, manifest) in join_all(asked).await {
            // If a server is late or has failed, the CLI itself starts the handshake.
            let Some(manifest) = manifest else { continue };
            if let Some(hosted) = self.servers().get_mut(&name) {
                hosted.connection = Some(connection);
            }
            manifests.insert(name, manifest);
        }
        self.declare(&mut initialize);
        if !manifests.is_empty() {
            initialize.sdk_mcp_server_manifests = Some(manifests);
        }
        initialize
    }

    /// Adds the current servers to an `initialize` that is sent again.
    pub(crate) fn declared_in(&self, mut initialize: Initialize) -> Initialize {
        initialize.sdk_mcp_server_manifests = None;
        self.declare(&mut initialize);
        initialize
    }

    fn declare(&self, initialize: &mut Initialize) {
        let servers = self.servers();
        let names: Vec<_> = servers.keys().cloned().collect();
        initialize.sdk_mcp_servers = (!names.is_empty()).then_some(names);
        let configs = servers
            .iter()
            .map(|(name, hosted)| (name, &hosted.server.config));
        let configs: Map<_> = configs
            .filter(|(_, config)| **config != SdkMcpServerConfig::new())
            .map(|(name, config)| (name.clone(), config.clone()))
            .collect();
        initialize.sdk_mcp_server_configs = (!configs.is_empty()).then_some(configs);
    }

    /// Connects the servers to the session that has begun.
    pub(crate) fn connect(&self, session: Weak<dyn ToCli>) {
        // A session begins only once, so the value is not set yet.
        let _ = self.session.set(session);
    }

    /// Returns the receiver of the CLI's messages. The servers end when it is dropped.
    pub(crate) fn receiver(
        self: Arc<Self>,
    ) -> impl Fn(McpMessage) -> BoxFuture<'static, Result<Answer, String>> + Send + Sync + 'static
    {
        let serving = StopServersOnDrop(self);
        move |message| {
            let taken = serving.0.receive(&message);
            taken.unwrap_or_else(|reason| ready(Err(reason)).boxed())
        }
    }

    /// Passes a message to its server. Returns a future of the answer, or the reason why the
    /// message is not accepted.
    fn receive(
        &self,
        message: &McpMessage,
    ) -> Result<BoxFuture<'static, Result<Answer, String>>, String> {
        let name = &*message.server_name;
        let mut servers = self.servers();
        let hosted = servers
            .get_mut(name)
            .ok_or_else(|| format!("there is no MCP server `{name}`"))?;
        let weight = message.message.as_raw().len() + OVERHEAD;
        let taken = || {
            let taken = self.at_work.reserve(weight, MOST);
            taken.ok_or_else(|| "too many messages wait for the MCP servers".to_owned())
        };
        let parsed = message.message.parse::<ClientJsonRpcMessage>();
        match parsed.map_err(|error| format!("the message is not a valid MCP message: {error}"))? {
            ClientJsonRpcMessage::Request(asked) => {
                let taken = taken()?;
                let is_handshake = matches!(asked.request, ClientRequest::InitializeRequest(_));
                // Since MCP 2026-07-28, each request names its version, and there is no handshake.
                let version = asked.request.get_meta().protocol_version();
                let needs_none = version.is_some_and(|version| !version.has_initialize());
                if is_handshake || (needs_none && hosted.connection.is_none()) {
                    // A handshake starts a new connection, with new call IDs.
                    hosted.connection = Some(self.connection(name, &hosted.server));
                }
                let connection = hosted.connection()?;
                Ok(connection
                    .call(asked.id, asked.request, Some(taken))
                    .boxed())
            }
            other => {
                let connection = hosted.connection()?;
                // A cancellation needs no reservation, because the number of calls limits the
                // number of cancellations.
                let taken = if connection.is_cancelled_by(&other) {
                    None
                } else {
                    Some(taken()?)
                };
                connection.send(other, taken);
                let noted = Json::from_text(NOTED.to_owned()).map_err(|error| error.to_string());
                Ok(ready(noted.map(Some)).boxed())
            }
        }
    }

    fn connection(&self, name: &str, server: &McpServer) -> Connection {
        let link = Link {
            server: name.to_owned(),
            session: self.session.clone(),
        };
        Connection::begin(&server.serve, link, &self.end)
    }

    fn servers(&self) -> MutexGuard<'_, BTreeMap<String, Hosted>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the session's servers on drop, even if the servers have other owners.
struct StopServersOnDrop(Arc<Host>);

impl Drop for StopServersOnDrop {
    fn drop(&mut self) {
        self.0.end.cancel();
        // The servers are dropped after the lock is released.
        let _servers = std::mem::take(&mut *self.0.servers());
    }
}

impl Hosted {
    fn connection(&self) -> Result<&Connection, String> {
        let connection = self.connection.as_ref();
        connection.ok_or_else(|| "the MCP server has not been initialized".to_owned())
    }
}

/// Maximum delay of the start by all servers together.
const BUDGET: Duration = Duration::from_millis(250);

/// The version of MCP that the CLI uses. The CLI accepts no other version in a handshake.
const VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Returns the handshake results of a server. `None` if it does not answer in time.
async fn manifest(connection: &Connection) -> Option<SdkMcpServerManifest> {
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
            // If the list has further pages, it is left out, and the CLI reads the list itself.
            listed.get("nextCursor").is_none().then_some(listed)
        }
        None => None,
    };
    let mut manifest = SdkMcpServerManifest::new(begun);
    manifest.tools_list_result = tools;
    Some(manifest)
}

/// Makes a call and returns its result. The ID of the call is a string, so it differs from the IDs of the CLI's calls.
async fn call(connection: &Connection, id: &str, request: ClientRequest) -> Option<Json> {
    let id = RequestId::String(format!("claw-{id}").into());
    let answer = connection.call(id, request, None).await.ok()??;
    answer.get("result")
}
