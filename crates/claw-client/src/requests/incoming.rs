//! Requests of the CLI to the host as data, and their responders. (For calls of the host to the CLI, see the layer
//! `calls`.)

use std::fmt::{self, Display};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use claw_types::Json;
use claw_types::control::{
    Elicitation, ElicitationResponse, HookCallback, PermissionResult, RequestUserDialog,
    UserDialogResponse,
};
use claw_types::hook::HookOutput;
use futures::Stream;

use super::context::CallbackContext;
use super::permission::ToolPermissionRequest;
use crate::engine::{Reply, RequestBody};
use crate::handle::Session;
use crate::handle::shared::Shared;
use crate::outcome::error::{Cause, Error};
use crate::waiting::requests::{OpenRequest, RequestReceiver};

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
    /// Creates the request with its responder. `None` for a message to an MCP server in this process, which the
    /// application does not answer.
    fn new(body: RequestBody, request: OpenRequest, session: Weak<Shared>) -> Option<Self> {
        let (id, cancel) = (request.id().clone(), request.token().clone());
        let context = CallbackContext::new(id, cancel, session);
        Some(match body {
            RequestBody::Permission(tool) => {
                let tool = ToolPermissionRequest::new(*tool, context.clone());
                let responder = Responder::new(context, request, Reply::Permission);
                Self::Permission(Box::new(tool), responder)
            }
            RequestBody::Hook(called) => {
                let reply = |output: HookOutput| Reply::Hook(Json::new(&output));
                Self::Hook(called, Responder::new(context, request, reply))
            }
            RequestBody::Elicitation(body) => {
                Self::Elicitation(body, Responder::new(context, request, Reply::Elicitation))
            }
            RequestBody::Dialog(body) => {
                Self::Dialog(body, Responder::new(context, request, Reply::Dialog))
            }
            RequestBody::Mcp(_) => return None,
            RequestBody::Other(other) => Self::Other {
                subtype: other.subtype,
                body: other.body,
                responder: Responder::new(context, request, Reply::Other),
            },
        })
    }

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

/// Answers one request of the CLI.
///
/// # Drop
///
/// Dropping the responder refuses or dismisses the request: the variants of [`IncomingRequest`] describe the effect.
/// The log reports that the request was not answered. Nothing is sent if the CLI has withdrawn the request.
#[must_use = "dropping it answers the request"]
pub struct Responder<A> {
    context: CallbackContext,
    /// Dropping this value answers the request.
    request: OpenRequest,
    reply: fn(A) -> Reply,
}

impl<A> Responder<A> {
    pub(super) fn new(
        context: CallbackContext,
        request: OpenRequest,
        reply: fn(A) -> Reply,
    ) -> Self {
        Self {
            context,
            request,
            reply,
        }
    }

    /// Returns the context of the request, which a callback receives too.
    pub fn context(&self) -> &CallbackContext {
        &self.context
    }

    /// Sends the answer. Nothing is sent if the CLI no longer waits for the answer.
    pub fn answer(self, answer: A) {
        self.request.answer((self.reply)(answer));
    }

    /// Reports that no answer will come, with the reason. The effect is the same as that of dropping the responder. If
    /// the effect is a refusal, the model reads the reason.
    pub fn fail(self, reason: impl Display) {
        self.request.fail(reason.to_string());
    }

    /// Sends no answer. Use this method for a request that another program answers, by other means than this session's
    /// pipe. The CLI keeps waiting for that answer.
    pub fn leave_unanswered(self) {
        self.request.answer(Reply::Elsewhere);
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
pub struct Requests {
    incoming: RequestReceiver,
    session: Weak<Shared>,
}

impl Stream for Requests {
    type Item = IncomingRequest;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while let Some((body, request)) = ready!(Pin::new(&mut self.incoming).poll_next(cx)) {
            let incoming = IncomingRequest::new(body, request, self.session.clone());
            if incoming.is_some() {
                return Poll::Ready(incoming);
            }
        }
        Poll::Ready(None)
    }
}

impl Session {
    /// Returns a stream of the CLI's requests, which your program answers as data: permissions, hooks, elicitations,
    /// dialogs and every other kind. A request for which the builder has a callback goes to that callback, not to this
    /// stream.
    ///
    /// ```no_run
    /// use claw_client::{IncomingRequest, PermissionResult, QueryOptions, Session};
    /// use futures::StreamExt;
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let builder = Session::builder(QueryOptions::default()).answer_requests();
    /// let session = builder.connect().await?;
    /// let mut requests = session.requests()?;
    /// tokio::spawn(async move {
    ///     while let Some(request) = requests.next().await {
    ///         if let IncomingRequest::Permission(tool, responder) = request {
    ///             match tool.tool_name() {
    ///                 "Read" => responder.answer(PermissionResult::allow()),
    ///                 name => responder.fail(format!("{name} is not for you")),
    ///             }
    ///         } // Everything else gets its safe answer.
    ///     }
    /// });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if this method was already called, or if
    /// [`SessionBuilder::answer_requests`](crate::SessionBuilder::answer_requests) was not called: [`Error::is_taken`]
    /// is true for that error.
    pub fn requests(&self) -> Result<Requests, Error> {
        let incoming = self.shared.take_requests().ok_or(Cause::RequestsTaken)?;
        let session = Arc::downgrade(&self.shared);
        Ok(Requests { incoming, session })
    }
}
