//! A connection to a server. A handshake begins a new connection. A request that needs no handshake can also begin one.

use std::future::Future;
use std::sync::Arc;

use claw_types::Json;
use futures::future::BoxFuture;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, RequestId,
};
use rmcp::service::serve_server_with_ct;
use rmcp::{RoleServer, Service};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use super::calls::{Answer, Calls};
use super::guard::Guarded;
use super::pipe::{Link, Pipe, ServerInput};
use crate::waiting::ByteReservation;

/// Serves one connection, until the token is cancelled.
pub(super) type Serve =
    Arc<dyn Fn(Pipe, CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>;

/// Erases the type of a server's service.
pub(super) fn serve(server: impl Service<RoleServer>) -> Serve {
    let server = Arc::new(server);
    Arc::new(move |pipe, end| {
        let server = Guarded {
            server: server.clone(),
            end: end.clone(),
        };
        Box::pin(async move {
            let ended = match serve_server_with_ct(server, pipe, end).await {
                Ok(running) => running.waiting().await.err().map(|error| error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            tracing::debug!(error = ?ended, "the connection is over");
        })
    })
}

/// A connection, owned by the server's entry. Dropping it ends the server's task.
pub(super) struct Connection {
    calls: Arc<Calls>,
    to_server: mpsc::UnboundedSender<ServerInput>,
    _end: DropGuard,
}

/// Fails the calls when the task that serves them ends in any way.
struct FailCallsOnDrop(Arc<Calls>);

impl Drop for FailCallsOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A call whose answer is awaited. If it is dropped before the answer, the server is notified.
struct Waiting {
    id: RequestId,
    calls: Arc<Calls>,
    to_server: mpsc::UnboundedSender<ServerInput>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.calls.forget(&self.id) {
            let param = CancelledNotificationParam::new(Some(self.id.clone()), None);
            let cancelled = CancelledNotification::new(param).into();
            let message = ClientJsonRpcMessage::notification(cancelled);
            let taken = None;
            let _ = self.to_server.send(ServerInput { message, taken });
        }
    }
}

impl Connection {
    /// Starts the task that serves the connection. The first message must be `initialize`, or a request that names a
    /// version of MCP without a handshake.
    pub(super) fn begin(serve: &Serve, link: Link, session: &CancellationToken) -> Self {
        let end = session.child_token();
        // The channel needs no limit of its own. The host limits the bytes of these messages, and the number of calls
        // limits the number of cancellations.
        let (to_server, from_client) = mpsc::unbounded_channel();
        let calls = Arc::<Calls>::default();
        let last_word = FailCallsOnDrop(calls.clone());
        let span = tracing::info_span!("mcp", server = %link.server);
        let pipe = Pipe {
            from_client,
            calls: calls.clone(),
            link,
        };
        let served = serve(pipe, end.clone());
        let task = async move {
            let _fail_calls = last_word;
            served.await;
        };
        tokio::spawn(task.instrument(span));
        Self {
            calls,
            to_server,
            _end: end.drop_guard(),
        }
    }

    /// Sends a request to the server at once, and returns a future of its answer. Dropping the
    /// future cancels the call.
    pub(super) fn call(
        &self,
        id: RequestId,
        request: ClientRequest,
        taken: Option<ByteReservation>,
    ) -> impl Future<Output = Result<Answer, String>> + Send + use<> {
        let answered = self.calls.open(id.clone());
        let waiting = Waiting {
            id: id.clone(),
            calls: self.calls.clone(),
            to_server: self.to_server.clone(),
        };
        self.send(ClientJsonRpcMessage::request(request, id), taken);
        async move {
            let answer = answered.await;
            drop(waiting);
            answer.map_err(|_| "the MCP server has ended".to_owned())
        }
    }

    /// Sends a message to the server that needs no answer.
    pub(super) fn send(&self, message: ClientJsonRpcMessage, taken: Option<ByteReservation>) {
        if let Some(id) = cancelled(&message) {
            // The server will not answer this call any more.
            self.calls.close(id, None);
        }
        // Sending fails if the server's task has ended. Then its calls have ended too, so nobody waits.
        let _ = self.to_server.send(ServerInput { message, taken });
    }

    /// Whether the message cancels a call that is in progress.
    pub(super) fn is_cancelled_by(&self, message: &ClientJsonRpcMessage) -> bool {
        cancelled(message).is_some_and(|id| self.calls.has(id))
    }
}

/// Returns the ID of the call that a message cancels.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let ClientJsonRpcMessage::Notification(notice) = message else {
        return None;
    };
    match &notice.notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

impl Calls {
    /// Completes a call with the server's answer, which may not be serializable.
    pub(super) fn answer(&self, id: &RequestId, answer: Result<Json, serde_json::Error>) {
        match answer {
            Ok(answer) => self.close(id, Some(answer)),
            Err(error) => {
                tracing::warn!(%error, "an answer of an MCP server cannot be written");
                self.forget(id);
            }
        }
    }
}
