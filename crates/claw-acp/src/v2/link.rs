//! The connection to a client of version 2. It has the same interface as a connection of version 1.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v2::ConnectionTo;
use agent_client_protocol::{Client, Error};
use agent_client_protocol::{v1::schema as v1, v2::schema as v2};

use super::convert::{same, v2_session};
use super::sender::Sender;
use super::work::Work;
use super::{tool, update};
use crate::outbox::{Disconnected, Outbox};

/// The connection to a client. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Link {
    connection: ConnectionTo<Client>,
    work: Option<Arc<Work>>,
    /// The keys of the messages of a stored conversation that were sent. `None` for a live session.
    replayed: Option<Arc<Mutex<HashSet<update::MessageKey>>>>,
}

impl Link {
    pub(super) fn new(connection: &ConnectionTo<Client>) -> Self {
        Self {
            connection: connection.clone(),
            work: None,
            replayed: None,
        }
    }

    pub(crate) fn begin_session(&mut self, outbox: &Outbox, session: &v1::SessionId) {
        let sender = Sender::new(self.connection.clone(), outbox.clone());
        self.work = Some(Arc::new(Work::new(sender, v2_session(session))));
    }

    pub(crate) fn begin_replay(&mut self) {
        self.replayed = Some(Arc::default());
    }

    /// Returns the foreground work of the session. `None` for a connection that was not prepared for a session.
    pub(crate) fn work(&self) -> Option<&Arc<Work>> {
        self.work.as_ref()
    }

    pub(crate) async fn update(
        &self,
        outbox: &Outbox,
        session: &v1::SessionId,
        update: v1::SessionUpdate,
    ) -> Result<(), Disconnected> {
        let sender = Sender::new(self.connection.clone(), outbox.clone());
        let session = v2_session(session);
        for mut update in update::updates(update) {
            if let Some(replayed) = &self.replayed {
                let mut replayed = replayed.lock().unwrap_or_else(PoisonError::into_inner);
                update = update::replace_first(&mut replayed, update);
            }
            sender.send(&session, update).await?;
        }
        Ok(())
    }

    /// Sends a request to the client. While the request waits for its response, the foreground work is reported as
    /// waiting.
    async fn ask<R: agent_client_protocol::JsonRpcRequest>(
        &self,
        request: R,
    ) -> Result<R::Response, Error> {
        let answer = self.connection.send_request(request).block_task();
        match &self.work {
            Some(work) => work.wait_for(answer).await,
            None => answer.await,
        }
    }

    pub(crate) async fn permission(
        &self,
        request: v1::RequestPermissionRequest,
    ) -> Result<v1::RequestPermissionResponse, Error> {
        let answer = self.ask(tool::permission(&request)?).await?;
        let outcome = match answer.outcome {
            v2::RequestPermissionOutcome::Selected(selected) => {
                let option = v1::PermissionOptionId::new(selected.option_id.0);
                let selected = v1::SelectedPermissionOutcome::new(option);
                v1::RequestPermissionOutcome::Selected(selected)
            }
            _ => v1::RequestPermissionOutcome::Cancelled,
        };
        Ok(v1::RequestPermissionResponse::new(outcome))
    }

    pub(crate) async fn elicitation(
        &self,
        request: v1::CreateElicitationRequest,
    ) -> Result<v1::CreateElicitationResponse, Error> {
        let request: v2::CreateElicitationRequest = same(&request)?;
        same(&self.ask(request).await?)
    }

    pub(crate) fn elicited(
        &self,
        notification: v1::CompleteElicitationNotification,
    ) -> Result<(), Error> {
        let id = v2::ElicitationId::new(notification.elicitation_id.0);
        let notification = v2::CompleteElicitationNotification::new(id);
        self.connection.send_notification(notification)
    }
}
