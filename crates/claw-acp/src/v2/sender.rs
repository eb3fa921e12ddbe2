//! Sends updates of version 2.

use agent_client_protocol::Client;
use agent_client_protocol::v2::ConnectionTo;
use agent_client_protocol::v2::schema::{SessionId, SessionUpdate, UpdateSessionNotification};

use crate::outbox::{Disconnected, Outbox};

/// Sends the updates of all sessions of a connection. Cheap to clone.
#[derive(Clone)]
pub(super) struct Sender {
    connection: ConnectionTo<Client>,
    outbox: Outbox,
}

impl Sender {
    pub(super) fn new(connection: ConnectionTo<Client>, outbox: Outbox) -> Self {
        Self { connection, outbox }
    }

    /// Sends an update. Waits until the client has read enough of the earlier updates.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn send(
        &self,
        session: &SessionId,
        update: impl Into<SessionUpdate>,
    ) -> Result<(), Disconnected> {
        let notification = UpdateSessionNotification::new(session.clone(), update.into());
        let send = |notification| self.connection.send_notification(notification);
        self.outbox.send(notification, send).await
    }
}
