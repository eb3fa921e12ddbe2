//! Requests of the CLI that wait for their answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_types::RequestId;
use futures::channel::mpsc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::ByteReservation;
use crate::engine::{Decision, Reply, RequestBody};

/// The channel to the driver. Each decision is sent with the time since the request's arrival, by the wall clock.
pub(crate) type Decisions = UnboundedSender<(RequestId, Decision, Duration)>;

/// The channel to the reader of `Session::requests`. A channel of `futures` is used: if a request is sent while the
/// receiver is being dropped, this channel drops the request. The drop sends an answer to the CLI.
pub(crate) type RequestSender = mpsc::UnboundedSender<(RequestBody, OpenRequest)>;

/// The receiver of the requests that the application answers.
pub(crate) type RequestReceiver = mpsc::UnboundedReceiver<(RequestBody, OpenRequest)>;

/// A request without an answer. If this value is dropped, the driver learns that no answer comes.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    id: RequestId,
    /// Cancelled when the answer is no longer awaited.
    cancel: CancellationToken,
    /// The time at which the request arrived.
    since: Instant,
    /// The sender of the decision. `None` once it was sent.
    decisions: Option<Decisions>,
    /// Counts the bytes of the request until this value is dropped.
    _held: Arc<ByteReservation>,
}

impl OpenRequest {
    pub(crate) fn new(
        id: RequestId,
        cancel: CancellationToken,
        decisions: Decisions,
        held: Arc<ByteReservation>,
    ) -> Self {
        Self {
            id,
            cancel,
            since: Instant::now(),
            decisions: Some(decisions),
            _held: held,
        }
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Returns the token that is cancelled when the answer is no longer awaited.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Sends the answer.
    pub(crate) fn answer(mut self, reply: Reply) {
        self.decide(Ok(reply));
    }

    /// Reports that no answer comes, for this reason.
    pub(crate) fn fail(mut self, reason: String) {
        self.decide(Err(reason));
    }

    fn decide(&mut self, decision: Decision) {
        let Some(decisions) = self.decisions.take() else {
            return;
        };
        if !self.cancel.is_cancelled() {
            // Sending fails if the driver was dropped. The session has ended then, so nothing waits
            // for the decision.
            let waited = self.since.elapsed();
            let _ = decisions.send((self.id.clone(), decision, waited));
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.decide(Err("nobody answered".to_owned()));
    }
}
