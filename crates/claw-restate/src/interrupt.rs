//! Interrupts turns. The claim of a session in the store contains the address of the worker that runs the turn. The
//! interrupt is sent to this address, and is signed with the key that all workers share.

use std::time::Duration;

use bytes::Bytes;
use claw_client::store::{Owner, StoreError};
use claw_cluster::{HEADER, HostUrl, ToSign};
use futures::TryStreamExt as _;
use http_body_util::Empty;
use hyper::client::conn::http2::handshake;
use hyper::{HeaderMap, Method, Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::error::AttemptError;
use crate::worker::Inner;
use crate::{Interrupted, SessionStatus, WaitingRequest};

/// The path of the interrupt request on a worker's port.
pub(crate) const PATH: &str = "/claw/interrupt";
/// The maximum time for the answer of the other worker.
const ANSWER: Duration = Duration::from_secs(3);

impl Inner {
    /// Interrupts the turn of a session, in this worker or in another one.
    pub(crate) async fn interrupt(&self, id: &str) -> Result<Interrupted, AttemptError> {
        let Some(owner) = self.holder(id).await? else {
            return Ok(Interrupted { was_running: false });
        };
        let was_running = match timeout(ANSWER, self.send_interrupt(&owner)).await {
            Ok(sent) => sent?,
            Err(_) => return Err(AttemptError::Again(format!("{owner} does not answer"))),
        };
        Ok(Interrupted { was_running })
    }

    async fn send_interrupt(&self, owner: &Owner) -> Result<bool, AttemptError> {
        let again = |error: &dyn std::fmt::Display| {
            AttemptError::Again(format!("{owner} cannot be reached: {error}"))
        };
        // The address is checked, because every program that can write to the store can set it.
        let url = owner.address.as_deref().and_then(HostUrl::new);
        let Some(url) = url else {
            let text = format!("{owner} has the session, which is no worker");
            return Err(AttemptError::Final(text));
        };
        let stream = TcpStream::connect(url.socket())
            .await
            .map_err(|error| again(&error))?;
        let (mut sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .map_err(|error| again(&error))?;
        let connection = tokio::spawn(connection);
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{url}{PATH}"))
            .header(
                HEADER,
                self.key.sign(ToSign {
                    to: &owner.id,
                    address: &url,
                    method: Method::POST.as_str(),
                    path: PATH,
                    body: b"",
                    sender: None,
                }),
            )
            .body(Empty::<Bytes>::new())
            .map_err(|error| again(&error))?;
        let answered = sender.send_request(request).await;
        connection.abort();
        match answered.map_err(|error| again(&error))?.status() {
            StatusCode::NO_CONTENT => Ok(true),
            // The turn has ended in the meantime, or the address now belongs to another worker.
            StatusCode::NOT_FOUND => Ok(false),
            status => Err(AttemptError::Final(format!(
                "{owner} answers {status}: do the workers have the same key and time, and is {url} its --advertise?"
            ))),
        }
    }

    /// Handles an interrupt request of another worker.
    pub(crate) fn on_interrupt(&self, method: &Method, headers: &HeaderMap) -> StatusCode {
        let signed = headers.get(HEADER).and_then(|value| value.to_str().ok());
        let signed = signed.unwrap_or_default();
        let verified = self
            .key
            .verify(signed, &self.address, method.as_str(), PATH);
        match verified {
            Ok(request) if self.running.interrupt(request.to) => StatusCode::NO_CONTENT,
            Ok(_) => StatusCode::NOT_FOUND,
            Err(why) => {
                tracing::warn!(why, "an interrupt is refused");
                StatusCode::UNAUTHORIZED
            }
        }
    }

    /// Returns the state of a session according to the store.
    pub(crate) async fn status(&self, id: &str) -> Result<SessionStatus, AttemptError> {
        let session = self.session(id)?;
        let main = session.main();
        let first = self.store.store().load(&main).try_next().await?;
        let owner = self.holder(id).await?;
        let deferred = self.store.sessions().deferred(&session).await;
        let deferred = deferred.map_err(|error| AttemptError::Again(error.to_string()))?;
        let waiting = deferred
            .into_iter()
            .filter(|it| !it.has_continued && it.answer.is_none());
        let requests = waiting.map(|it| WaitingRequest {
            id: it.id,
            request: it.request,
        });
        let requests = requests.collect();
        Ok(SessionStatus {
            is_stored: first.is_some(),
            owner: owner.as_ref().map(ToString::to_string),
            address: owner.and_then(|owner| owner.address),
            requests,
        })
    }

    async fn holder(&self, id: &str) -> Result<Option<Owner>, AttemptError> {
        let session = self.session(id)?;
        let Some(claims) = self.store.store().claims() else {
            return Err(StoreError::refused("this store has no claims").into());
        };
        let holder = claims.holder(&session).await?;
        Ok(holder.map(|(owner, _)| owner))
    }
}
