//! Who answers what the CLI asks: closures, each call in a task of its own, or the reader of
//! [`Session::requests`](crate::Session::requests).

use std::collections::HashMap;
use std::fmt::Display;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};

use claw_types::control::{
    Elicitation, ElicitationResponse, HookCallback, McpMessage, PermissionResult,
    RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::AsyncHookOutput;
use claw_types::{Json, RequestId};
use futures::FutureExt;
use futures::channel::mpsc::UnboundedSender;
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::engine::{Decision, Question, Reply, Served};
use crate::hook::{HookFn, Hooks};
use crate::requests::{Decisions, IncomingRequest};
use crate::room::{Room, Taken};
use crate::session::Shared;
use crate::{CallbackContext, Responder, ToolPermissionRequest};

/// What a callback may give: an answer, or an answer that may have failed.
pub trait IntoAnswer<A> {
    /// The answer, or why there is none.
    fn into_answer(self) -> Result<A, String>;
}

impl<A> IntoAnswer<A> for A {
    fn into_answer(self) -> Result<A, String> {
        Ok(self)
    }
}

impl<A, E: Display> IntoAnswer<A> for Result<A, E> {
    fn into_answer(self) -> Result<A, String> {
        self.map_err(|error| error.to_string())
    }
}

/// A callback, its types forgotten.
pub(crate) type Callback<Q, A> =
    Arc<dyn Fn(Q, CallbackContext) -> BoxFuture<'static, Result<A, String>> + Send + Sync>;

pub(crate) fn callback<Q, A, F, Fut>(call: F) -> Callback<Q, A>
where
    Q: Send + 'static,
    A: 'static,
    F: Fn(Q, CallbackContext) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoAnswer<A>,
{
    let call = Arc::new(call);
    Arc::new(move |question, context| {
        let call = call.clone();
        // The call itself may panic too: it is made by the task.
        Box::pin(async move { call(question, context).await.into_answer() })
    })
}

/// Hands a message on to its MCP server, at once, so that messages stay in their order. What it gives
/// is the server's answer, or that there is none because the call was cancelled.
pub(crate) type McpFn =
    Box<dyn Fn(McpMessage) -> BoxFuture<'static, Result<Option<Json>, String>> + Send + Sync>;

/// The closures of a session.
#[derive(Default)]
pub(crate) struct Closures {
    pub(crate) permission: Option<Callback<ToolPermissionRequest, PermissionResult>>,
    pub(crate) elicitation: Option<Callback<Elicitation, ElicitationResponse>>,
    pub(crate) dialog: Option<Callback<RequestUserDialog, UserDialogResponse>>,
    pub(crate) hooks: Hooks,
    /// MCP servers in this process.
    pub(crate) mcp: Option<McpFn>,
    pub(crate) others: HashMap<String, Callback<Json, Json>>,
    /// The application reads `Session::requests`: it is asked where there is no closure.
    pub(crate) asked: bool,
}

impl Closures {
    /// What is answered here, for the engine. `dialogs`: the kinds that the options declare.
    pub(crate) fn served(&self, dialogs: Option<&[String]>) -> Served {
        Served {
            permissions: self.permission.is_some() || self.asked,
            elicitations: self.elicitation.is_some() || self.asked,
            dialogs: dialogs.unwrap_or_default().iter().cloned().collect(),
            hooks: self.hooks.specs(),
            mcp: self.mcp.is_some(),
            others: self.others.keys().cloned().collect(),
            all_others: self.asked,
        }
    }
}

/// How many bytes of questions callbacks and the application may hold: those that are open, those
/// that were taken back and still wait in `Session::requests`, and those of hooks in the background,
/// for which nobody waits.
const MOST_HELD: usize = 64 << 20;

/// The questions that are being worked on. Dropping this drops the callbacks.
pub(crate) struct Callbacks {
    closures: Closures,
    shared: Weak<Shared>,
    /// To the reader of `Session::requests`.
    requests: Option<UnboundedSender<IncomingRequest>>,
    tasks: JoinSet<()>,
    working: HashMap<RequestId, Working>,
    /// What they and their questions take, until they are gone.
    held: Room,
    decisions: Decisions,
    decided: mpsc::UnboundedReceiver<(RequestId, Decision)>,
    /// Cancelled with the session.
    over: CancellationToken,
}

struct Working {
    cancel: CancellationToken,
    /// `None` where the application has the request itself.
    task: Option<AbortHandle>,
}

impl Callbacks {
    pub(crate) fn new(
        closures: Closures,
        shared: Weak<Shared>,
        requests: Option<UnboundedSender<IncomingRequest>>,
    ) -> Self {
        let (decisions, decided) = mpsc::unbounded_channel();
        Self {
            closures,
            shared,
            requests,
            tasks: JoinSet::new(),
            working: HashMap::new(),
            held: Room::default(),
            decisions,
            decided,
            over: CancellationToken::new(),
        }
    }

    /// Waits for a decision.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn decided(&mut self) -> (RequestId, Decision) {
        match self.decided.recv().await {
            Some((id, decision)) => {
                self.working.remove(&id);
                while self.tasks.try_join_next().is_some() {}
                (id, decision)
            }
            // There is always a sender: the one in here.
            None => std::future::pending().await,
        }
    }

    /// Asks.
    pub(crate) fn ask(&mut self, id: RequestId, question: Question, weight: usize) {
        // Those that were withdrawn and are gone.
        while self.tasks.try_join_next().is_some() {}
        let Some(held) = self.held.take(weight, MOST_HELD) else {
            let reason = "too many callbacks are at work".to_owned();
            // There is always a receiver: the one in here.
            let _ = self.decisions.send((id, Err(reason)));
            return;
        };
        let held = Arc::new(held);
        let cancel = self.over.child_token();
        let context = CallbackContext::new(id.clone(), cancel.clone(), self.shared.clone());
        let task = match question {
            Question::Permission(ask) => {
                let ask = Box::new(ToolPermissionRequest::new(*ask, context.clone()));
                let responder = self.responder(context, &held, Reply::Permission);
                match self.closures.permission.clone() {
                    Some(call) => Some(self.run("permission", &call, *ask, responder)),
                    None => self.hand_over(IncomingRequest::Permission(ask, responder)),
                }
            }
            Question::Hook(asked) => {
                let responder = self.responder(context, &held, Reply::Hook);
                match self.closures.hooks.call(&asked.callback_id) {
                    Some((call, false)) => Some(self.run("hook", &call, *asked, responder)),
                    Some((call, true)) => {
                        let context = responder.context().clone();
                        self.run_in_background(&call, *asked, context, held);
                        responder.answer(AsyncHookOutput::new().into());
                        None
                    }
                    None => self.hand_over(IncomingRequest::Hook(asked, responder)),
                }
            }
            Question::Elicitation(ask) => {
                let responder = self.responder(context, &held, Reply::Elicitation);
                match self.closures.elicitation.clone() {
                    Some(call) => Some(self.run("elicitation", &call, *ask, responder)),
                    None => self.hand_over(IncomingRequest::Elicitation(ask, responder)),
                }
            }
            Question::Dialog(ask) => {
                let responder = self.responder(context, &held, Reply::Dialog);
                match self.closures.dialog.clone() {
                    Some(call) => Some(self.run("dialog", &call, *ask, responder)),
                    None => self.hand_over(IncomingRequest::Dialog(ask, responder)),
                }
            }
            Question::Mcp(message) => {
                let responder = self.responder(context, &held, Reply::Mcp);
                let answer = self.closures.mcp.as_ref().map(|mcp| mcp(*message));
                answer.map(|answer| self.work("mcp", answer, responder))
            }
            Question::Other { subtype, body } => {
                let responder = self.responder(context, &held, Reply::Other);
                match self.closures.others.get(&subtype).cloned() {
                    Some(call) => Some(self.run("request", &call, body, responder)),
                    None => self.hand_over(IncomingRequest::Other {
                        subtype,
                        body,
                        responder,
                    }),
                }
            }
        };
        self.working.insert(id, Working { cancel, task });
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn withdraw(&mut self, id: &RequestId) {
        if let Some(working) = self.working.remove(id) {
            // Before the drop, so that a responder knows that it has nothing to say.
            working.cancel.cancel();
            if let Some(task) = working.task {
                task.abort();
            }
        }
    }

    fn responder<A>(
        &self,
        context: CallbackContext,
        held: &Arc<Taken>,
        reply: fn(A) -> Reply,
    ) -> Responder<A> {
        Responder::new(context, self.decisions.clone(), held.clone(), reply)
    }

    /// Gives the application a request; dropped, and so answered, where it takes none.
    fn hand_over(&self, request: IncomingRequest) -> Option<AbortHandle> {
        if let Some(requests) = &self.requests {
            let _ = requests.unbounded_send(request);
        }
        None
    }

    fn run<Q, A>(
        &mut self,
        what: &'static str,
        call: &Callback<Q, A>,
        question: Q,
        responder: Responder<A>,
    ) -> AbortHandle
    where
        Q: Send + 'static,
        A: Send + 'static,
    {
        let call = call.clone();
        let context = responder.context().clone();
        self.work(
            what,
            async move { call(question, context).await },
            responder,
        )
    }

    fn work<A: Send + 'static>(
        &mut self,
        what: &'static str,
        answer: impl Future<Output = Result<A, String>> + Send + 'static,
        responder: Responder<A>,
    ) -> AbortHandle {
        let span =
            tracing::debug_span!("callback", what, id = ?responder.context().request_id().as_str());
        let work = async move {
            match caught(what, answer).await {
                Ok(answer) => responder.answer(answer),
                Err(reason) => responder.fail(reason),
            }
        };
        self.spawn(Box::pin(work.instrument(span)))
    }

    /// Boxed, so that the runtime's own code is compiled for one task, and not for each kind of them.
    fn spawn(&mut self, work: BoxFuture<'static, ()>) -> AbortHandle {
        self.tasks.spawn(work)
    }

    fn run_in_background(
        &mut self,
        call: &HookFn,
        asked: HookCallback,
        context: CallbackContext,
        held: Arc<Taken>,
    ) {
        let call = call.clone();
        let id = context.request_id().clone();
        let span = tracing::debug_span!("callback", what = "background hook", id = ?id.as_str());
        let work = async move {
            if let Err(reason) = caught("hook", async move { call(asked, context).await }).await {
                tracing::warn!(?reason, "a hook in the background failed");
            }
            drop(held);
        };
        self.spawn(Box::pin(work.instrument(span)));
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// What comes of a call, which may panic.
async fn caught<A>(what: &str, call: impl Future<Output = Result<A, String>>) -> Result<A, String> {
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(answer) => answer,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            // For the log alone: the model may read the reason.
            tracing::warn!(panic = text.unwrap_or("not a text"), "a callback panicked");
            Err(format!("the {what} callback panicked"))
        }
    }
}
