//! The transport between a server and the session.

use std::future::Future;
use std::sync::{Arc, Weak};

use claw_types::Json;
use claw_types::control::McpMessage;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{SetOnce, mpsc, oneshot};

use super::calls::Calls;
use crate::outcome::error::{Cause, Error};
use crate::waiting::ByteReservation;
use crate::waiting::calls::Answer;

/// The destination of a server's messages: a session.
pub(crate) trait ToCli: Send + Sync {
    /// Passes a message to the CLI at once. The CLI's answer comes through the returned receiver.
    fn message(&self, message: McpMessage) -> Result<oneshot::Receiver<Answer>, Error>;
}

/// The path from a server to the CLI.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) server: String,
    /// The session to which the server's messages go. Set when the session begins.
    pub(super) session: Arc<SetOnce<Weak<dyn ToCli>>>,
}

/// A message to the server. `taken` counts the message's bytes until its handler has ended.
pub(super) struct ServerInput {
    pub(super) message: ClientJsonRpcMessage,
    pub(super) taken: Option<ByteReservation>,
}

/// The server's end of one connection.
pub(super) struct Pipe {
    pub(super) from_client: mpsc::UnboundedReceiver<ServerInput>,
    pub(super) calls: Arc<Calls>,
    pub(super) link: Link,
}

impl Link {
    /// Passes a message to the CLI at once, so that messages stay in order. The future completes
    /// when the CLI has accepted it.
    ///
    /// Keeps the session alive only during this call: the session's lifetime must depend on its
    /// handles, not on a server.
    fn forward(
        &self,
        session: &Weak<dyn ToCli>,
        message: Json,
    ) -> Result<oneshot::Receiver<Answer>, Error> {
        let session = session.upgrade().ok_or(Cause::Closed)?;
        session.message(McpMessage::new(&*self.server, message))
    }

    /// Sends a message to the CLI once the session has begun.
    fn send(&self, message: Json) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let link = self.clone();
        let early = match self.session.get() {
            Some(session) => Ok(self.forward(session, message)),
            None => Err(message),
        };
        async move {
            let sent = match early {
                Ok(sent) => sent,
                Err(message) => link.forward(link.session.wait().await, message),
            };
            match sent?.await {
                Ok(answer) => answer.map(drop),
                Err(_) => Err(Cause::Closed.into()),
            }
        }
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let written = Json::new(&message);
        let sent = match message {
            JsonRpcMessage::Response(answer) => {
                self.calls.answer(&answer.id, written);
                None
            }
            JsonRpcMessage::Error(answer) => {
                if let Some(id) = answer.id {
                    self.calls.answer(&id, written);
                }
                None
            }
            _ => Some(match written {
                Ok(message) => Ok(self.link.send(message)),
                Err(error) => Err(Error::bad_request("a message of an MCP server", error)),
            }),
        };
        async move {
            match sent {
                Some(sent) => sent?.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let ServerInput { mut message, taken } = self.from_client.recv().await?;
        if let Some(taken) = taken.map(Arc::new) {
            // Attaches the reservation to the message, so that it is dropped when the message's handler has ended.
            match &mut message {
                JsonRpcMessage::Request(asked) => {
                    asked.request.extensions_mut().insert(taken);
                }
                JsonRpcMessage::Notification(notice) => {
                    notice.notification.extensions_mut().insert(taken);
                }
                _ => {}
            }
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
