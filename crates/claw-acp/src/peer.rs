//! The client at the other end of the connection.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{SessionId, SessionNotification, SessionUpdate};
use agent_client_protocol::{Client, Error, JsonRpcNotification, JsonRpcRequest};

use crate::offer::Offer;
use crate::outbox::{Disconnected, Outbox};

/// The client: its capabilities, and its connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Peer {
    connection: ConnectionTo<Client>,
    outbox: Outbox,
    pub(crate) offer: Offer,
}

impl Peer {
    pub(crate) fn new(connection: ConnectionTo<Client>, outbox: Outbox, offer: Offer) -> Self {
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
        let notification = SessionNotification::new(session.clone(), update);
        let connection = &self.connection;
        let send = |notification| connection.send_notification(notification);
        self.outbox.send(notification, send).await
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

    /// Sends a request to the client and waits for the response. If the future is dropped, the request is cancelled
    /// with `$/cancel_request`.
    pub(crate) async fn ask<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.connection.send_request(request).block_task().await
    }

    /// Sends a notification other than a session update.
    pub(crate) fn notify(&self, notification: impl JsonRpcNotification) {
        // The end of the connection is detected elsewhere.
        let _ = self.connection.send_notification(notification);
    }
}
