//! Requests: what the CLI wants of the host, and how it is answered. (What the host wants of the CLI is a
//! call: `calls.rs`.)

use std::fmt::{self, Display};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

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

use crate::engine::{Decision, Reply};
use crate::room::Taken;
use crate::session::Shared;
use crate::{Session, ToolPermissionRequest};

/// A request of the CLI's, with the one who answers it: [`Session::requests`].
///
/// Whatever becomes of a request, it is answered once: dropping its [`Responder`] gives the answer
/// that does the least harm, so that a program may pass over what it does not care for.
#[derive(Debug)]
#[non_exhaustive]
pub enum IncomingRequest {
    /// May this tool be used? Dropped: no.
    Permission(Box<ToolPermissionRequest>, Responder<PermissionResult>),
    /// What does this hook say? Dropped: a tool, a permission, a change of the model is refused, a
    /// prompt blocked; any other hook says nothing.
    Hook(Box<HookCallback>, Responder<HookOutput>),
    /// An MCP server asks the user something. Dropped: the user has turned away.
    Elicitation(Box<Elicitation>, Responder<ElicitationResponse>),
    /// Show this dialog. Dropped: the user has turned away.
    Dialog(Box<RequestUserDialog>, Responder<UserDialogResponse>),
    /// A kind that claw does not know by name, with its whole body. Dropped: an error.
    Other {
        /// Its kind.
        subtype: String,
        /// The request, its `subtype` included.
        body: Json,
        /// Answers it.
        responder: Responder<Json>,
    },
}

impl IncomingRequest {
    /// What a callback for it would have beside the request.
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

/// What a callback has beside the request. [`Responder::context`] and
/// [`ToolPermissionRequest::context`] give it as well.
#[derive(Clone)]
pub struct CallbackContext {
    id: RequestId,
    cancel: CancellationToken,
    session: Weak<Shared>,
}

impl CallbackContext {
    pub(crate) fn new(id: RequestId, cancel: CancellationToken, session: Weak<Shared>) -> Self {
        Self {
            id,
            cancel,
            session,
        }
    }

    /// Names the request.
    pub fn request_id(&self) -> &RequestId {
        &self.id
    }

    /// Is cancelled when nobody waits for the answer any more: the CLI took the request back, the
    /// time was up, the session ended. A callback is dropped then; the token is for what it has
    /// started elsewhere. Not cancelled where the request was answered.
    pub fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Waits until nobody waits for the answer any more.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        self.cancel.clone().cancelled_owned()
    }

    /// The session that the request came from; `None` once nobody holds it any more. A callback may call
    /// the CLI by it; to keep what this gives keeps the session alive.
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

/// To the driver.
pub(crate) type Decisions = UnboundedSender<(RequestId, Decision)>;

/// Answers one request of the CLI's.
///
/// # Drop
///
/// Answers what does the least harm, as [`IncomingRequest`] says for each kind; the log says that
/// nobody answered. Sends nothing where the CLI has taken the request back.
#[must_use = "dropping it answers the request"]
pub struct Responder<A> {
    context: CallbackContext,
    /// `None` once it has answered.
    decisions: Option<Decisions>,
    /// Counts the request until this is gone.
    _held: Arc<Taken>,
    reply: fn(A) -> Reply,
}

impl<A> Responder<A> {
    pub(crate) fn new(
        context: CallbackContext,
        decisions: Decisions,
        held: Arc<Taken>,
        reply: fn(A) -> Reply,
    ) -> Self {
        Self {
            context,
            decisions: Some(decisions),
            _held: held,
            reply,
        }
    }

    /// What a callback would have beside the request.
    pub fn context(&self) -> &CallbackContext {
        &self.context
    }

    /// Gives the answer. Sends nothing where nobody waits for it any more.
    pub fn answer(mut self, answer: A) {
        let reply = (self.reply)(answer);
        self.decide(Ok(reply));
    }

    /// There is no answer, for this reason: what is answered is as if this were dropped. Where that
    /// is a refusal, the model reads the reason.
    pub fn fail(mut self, reason: impl Display) {
        self.decide(Err(reason.to_string()));
    }

    /// Sends nothing: somebody else answers, in another way than over this session's pipe. The CLI
    /// waits for that.
    pub fn leave_unanswered(mut self) {
        self.decide(Ok(Reply::Elsewhere));
    }

    fn decide(&mut self, decision: Decision) {
        let Some(decisions) = self.decisions.take() else {
            return;
        };
        if !self.context.cancel.is_cancelled() {
            // Where the driver is gone, the session is.
            let _ = decisions.send((self.context.id.clone(), decision));
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

/// The CLI's requests: [`Session::requests`]. Ends with the session, which it does not keep alive.
///
/// # Drop
///
/// What waits in it, and what comes after that, is answered as if its [`Responder`] were dropped.
#[derive(Debug)]
#[must_use = "dropping it answers all requests"]
pub struct Requests(UnboundedReceiver<IncomingRequest>);

impl Requests {
    /// The channel is the one of `futures`: a request that is sent in the very moment in which this
    /// is dropped is dropped too, and so answered.
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
