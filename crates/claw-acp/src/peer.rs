//! The client at the other end of the connection.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionNotification,
    SessionUpdate,
};
use agent_client_protocol::{Client, Error, JsonRpcRequest};

use crate::offer::Offer;
use crate::outbox::{Disconnected, Outbox};

/// The client: its capabilities, and its connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Peer {
    connection: Connection,
    outbox: Outbox,
    pub(crate) offer: Offer,
}

/// A connection in the version of the protocol that the client requested.
#[derive(Clone)]
pub(crate) enum Connection {
    V1(ConnectionTo<Client>),
    #[cfg(feature = "v2-draft")]
    V2(crate::v2::Link),
}

impl From<&ConnectionTo<Client>> for Connection {
    fn from(connection: &ConnectionTo<Client>) -> Self {
        Self::V1(connection.clone())
    }
}

impl Peer {
    pub(crate) fn new(connection: Connection, outbox: Outbox, offer: Offer) -> Self {
        Self {
            connection,
            outbox,
            offer,
        }
    }

    /// Sends an update of a session. Waits until the client has read enough of the earlier updates.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn update(
        &self,
        session: &SessionId,
        update: SessionUpdate,
    ) -> Result<(), Disconnected> {
        match &self.connection {
            Connection::V1(connection) => {
                let notification = SessionNotification::new(session.clone(), update);
                let send = |notification| connection.send_notification(notification);
                self.outbox.send(notification, send).await
            }
            #[cfg(feature = "v2-draft")]
            Connection::V2(link) => link.update(&self.outbox, session, update).await,
        }
    }

    /// Sends updates of a session in their order.
    pub(crate) async fn updates(
        &self,
        session: &SessionId,
        updates: impl IntoIterator<Item = SessionUpdate>,
    ) -> Result<(), Disconnected> {
        for update in updates {
            self.update(session, update).await?;
        }
        Ok(())
    }

    /// Sends a permission request to the client. If the future is dropped, the request is cancelled with
    /// `$/cancel_request`.
    pub(crate) async fn permission(
        &self,
        request: RequestPermissionRequest,
    ) -> Result<RequestPermissionResponse, Error> {
        match &self.connection {
            Connection::V1(connection) => ask(connection, request).await,
            #[cfg(feature = "v2-draft")]
            Connection::V2(link) => link.permission(request).await,
        }
    }

    /// Sends an elicitation, which is a form or a URL, to the client. If the future is dropped, the request is
    /// cancelled with `$/cancel_request`.
    pub(crate) async fn elicitation(
        &self,
        request: CreateElicitationRequest,
    ) -> Result<CreateElicitationResponse, Error> {
        match &self.connection {
            Connection::V1(connection) => ask(connection, request).await,
            #[cfg(feature = "v2-draft")]
            Connection::V2(link) => link.elicitation(request).await,
        }
    }

    /// Notifies the client that the page of a URL elicitation was completed.
    pub(crate) fn elicited(&self, notification: CompleteElicitationNotification) {
        // If the connection has ended, another part of the agent detects that.
        let _ = match &self.connection {
            Connection::V1(connection) => connection.send_notification(notification),
            #[cfg(feature = "v2-draft")]
            Connection::V2(link) => link.elicited(notification),
        };
    }

    /// Whether a turn ends if the client answers a permission request as cancelled. In version 2, such an answer may
    /// also mean that the person has dismissed the request. A client of version 2 that ends the turn sends
    /// `session/cancel`, too.
    pub(crate) fn cancels_turns(&self) -> bool {
        matches!(self.connection, Connection::V1(_))
    }
}

#[cfg(feature = "v2-draft")]
impl Peer {
    /// Prepares this peer for one session. For version 2, the peer then reports the foreground work of the session.
    pub(crate) fn for_session(mut self, session: &SessionId) -> Self {
        if let Connection::V2(link) = &mut self.connection {
            link.begin_session(&self.outbox, session);
        }
        self
    }

    /// Prepares this peer to receive the messages of a stored conversation.
    pub(crate) fn for_replay(mut self) -> Self {
        if let Connection::V2(link) = &mut self.connection {
            link.begin_replay();
        }
        self
    }

    /// Returns the foreground work of the session. `None` for a client of version 1.
    pub(crate) fn work(&self) -> Option<&std::sync::Arc<crate::v2::Work>> {
        match &self.connection {
            Connection::V1(_) => None,
            Connection::V2(link) => link.work(),
        }
    }
}

async fn ask<R: JsonRpcRequest>(
    connection: &ConnectionTo<Client>,
    request: R,
) -> Result<R::Response, Error> {
    connection.send_request(request).block_task().await
}
