//! Requests of the CLI to the host, and their answers. (For calls of the host to the CLI, see
//! `calls.rs`.)

use std::fmt::{self, Display};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use claw_types::control::{
    Elicitation, ElicitationResponse, HookCallback, PermissionResult, RequestUserDialog,
    UserDialogResponse,
};
use claw_types::hook::HookOutput;
use claw_types::{Json, RequestId};
use futures::Stream;
use futures::channel::mpsc::UnboundedReceiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::byte_budget::ByteReservation;
use crate::engine::{Decision, Reply};
use crate::session::Shared;
use crate::{Session, ToolPermissionRequest};

/// A request of the CLI, with its responder. An item of [`Session::requests`].
///
/// Every request is answered exactly once. A program may ignore a request: dropping its [`Responder`] sends an answer
/// that refuses or dismisses the request, as the variants describe.
#[derive(Debug)]
#[non_exhaustive]
pub enum IncomingRequest {
    /// A permission request for a tool use. Dropping the responder denies the tool use.
    Permission(Box<ToolPermissionRequest>, Responder<PermissionResult>),
    /// A call of a hook. If the event is a tool use, a permission request or a switch to another model, dropping the
    /// responder denies it. If the event is a prompt, dropping the responder blocks it. For all other events, the drop
    /// counts as no decision.
    Hook(Box<HookCallback>, Responder<HookOutput>),
    /// An elicitation from an MCP server. Dropping the responder dismisses it.
    Elicitation(Box<Elicitation>, Responder<ElicitationResponse>),
    /// A dialog to show. Dropping the responder dismisses the dialog.
    Dialog(Box<RequestUserDialog>, Responder<UserDialogResponse>),
    /// A request of a kind that claw does not know by name, with its whole body. Dropping the responder answers with an
    /// error.
    Other {
        /// The `subtype` of the request, which says its kind.
        subtype: String,
        /// The request, including its `subtype`.
        body: Json,
        /// The responder of the request.
        responder: Responder<Json>,
    },
}

impl IncomingRequest {
    /// Returns the context of the request, which a callback receives too.
    pub fn context(&self) -> &CallbackContext {
        match self {
            Self::Permission(_, responder) => &responder.context,
            Self::Hook(_, responder) => &responder.context,
            Self::Elicitation(_, responder) => &responder.context,
            Self::Dialog(_, responder) => &responder.context,
            Self::Other { responder, .. } => &responder.context,
        }
    }
}

/// The context of a request, which a callback receives. [`Responder::context`] and [`ToolPermissionRequest::context`]
/// return it too.
#[derive(Clone)]
pub struct CallbackContext {
    id: RequestId,
    cancel: CancellationToken,
    session: Weak<Shared>,
    /// The time at which the request arrived.
    since: Instant,
}

impl CallbackContext {
    pub(crate) fn new(id: RequestId, cancel: CancellationToken, session: Weak<Shared>) -> Self {
        Self {
            id,
            cancel,
            session,
            since: Instant::now(),
        }
    }

    /// Returns the ID of the request.
    pub fn request_id(&self) -> &RequestId {
        &self.id
    }

    /// Returns a token that is cancelled when the answer is no longer awaited: the CLI withdrew the request, it timed
    /// out, or the session ended. The callback itself is then dropped. The token is for work that the callback has
    /// started elsewhere. The token is not cancelled if the request was answered.
    pub fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Completes when the CLI no longer waits for the answer to this request.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        self.cancel.clone().cancelled_owned()
    }

    /// Returns the session that the request came from. Returns `None` once the session's last handle was dropped. A
    /// callback can call the CLI through this session. Keeping the returned session keeps the session alive.
    pub fn session(&self) -> Option<Session> {
        let shared = self.session.upgrade()?;
        Some(Session { shared })
    }
}

impl fmt::Debug for CallbackContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackContext")
            .field("request_id", &self.id)
            .field("cancelled", &self.cancel.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// The channel to the driver. Each decision is sent with the time since the request's arrival, by the wall clock.
pub(crate) type Decisions = UnboundedSender<(RequestId, Decision, Duration)>;

/// Answers one request of the CLI.
///
/// # Drop
///
/// Dropping the responder refuses or dismisses the request: the variants of [`IncomingRequest`] describe the effect.
/// The log reports that the request was not answered. Nothing is sent if the CLI has withdrawn the request.
#[must_use = "dropping it answers the request"]
pub struct Responder<A> {
    context: CallbackContext,
    /// The sender of the decision. `None` once it was sent.
    decisions: Option<Decisions>,
    /// Counts the request until the responder is dropped.
    _held: Arc<ByteReservation>,
    reply: fn(A) -> Reply,
}

impl<A> Responder<A> {
    pub(crate) fn new(
        context: CallbackContext,
        decisions: Decisions,
        held: Arc<ByteReservation>,
        reply: fn(A) -> Reply,
    ) -> Self {
        Self {
            context,
            decisions: Some(decisions),
            _held: held,
            reply,
        }
    }

    /// Returns the context of the request, which a callback receives too.
    pub fn context(&self) -> &CallbackContext {
        &self.context
    }

    /// Sends the answer. Nothing is sent if the CLI no longer waits for the answer.
    pub fn answer(mut self, answer: A) {
        let reply = (self.reply)(answer);
        self.decide(Ok(reply));
    }

    /// Reports that no answer will come, with the reason. The effect is the same as that of dropping the responder. If
    /// the effect is a refusal, the model reads the reason.
    pub fn fail(mut self, reason: impl Display) {
        self.decide(Err(reason.to_string()));
    }

    /// Sends no answer. Use this method for a request that another program answers, by other means than this session's
    /// pipe. The CLI keeps waiting for that answer.
    pub fn leave_unanswered(mut self) {
        self.decide(Ok(Reply::Elsewhere));
    }

    fn decide(&mut self, decision: Decision) {
        let Some(decisions) = self.decisions.take() else {
            return;
        };
        if !self.context.cancel.is_cancelled() {
            // If the driver was dropped, the session has ended.
            let waited = self.context.since.elapsed();
            let _ = decisions.send((self.context.id.clone(), decision, waited));
        }
    }
}

impl<A> Drop for Responder<A> {
    fn drop(&mut self) {
        self.decide(Err("nobody answered".to_owned()));
    }
}

impl<A> fmt::Debug for Responder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Responder").field(&self.context).finish()
    }
}

/// The requests of the CLI, as a stream. Returned by [`Session::requests`]. It ends with the session, and does not keep
/// the session alive.
///
/// # Drop
///
/// When this stream is dropped, waiting and later requests are answered as if their [`Responder`] were dropped.
#[derive(Debug)]
#[must_use = "dropping it answers all requests"]
pub struct Requests(UnboundedReceiver<IncomingRequest>);

impl Requests {
    /// The channel is from `futures`: a request that is sent while the receiver is being dropped is dropped too, and
    /// thereby answered.
    pub(crate) fn new(receiver: UnboundedReceiver<IncomingRequest>) -> Self {
        Self(receiver)
    }
}

impl Stream for Requests {
    type Item = IncomingRequest;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(cx)
    }
}
