//! Answers the CLI's requests. Closures answer them, each call in its own task, or the reader of
//! [`Session::requests`](crate::Session::requests) does.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_types::control::{
    Elicitation, ElicitationResponse, HookCallback, McpMessage, PermissionResult,
    RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::{AsyncHookOutput, HookOutput};
use claw_types::{Json, RequestId};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::answer::Callback;
use super::context::CallbackContext;
use super::hook::{HookFn, Hooks};
use super::incoming::Responder;
use super::permission::ToolPermissionRequest;
use crate::engine::{Decision, Reply, RequestBody, RunningHook, Served};
use crate::handle::shared::Shared;
use crate::waiting::requests::{Decisions, OpenRequest, RequestSender};
use crate::waiting::{ByteBudget, ByteReservation};

/// Passes a message to its MCP server at once, so that messages stay in order. Returns the server's
/// answer, or nothing if the call was cancelled.
pub(crate) type McpFn =
    Box<dyn Fn(McpMessage) -> BoxFuture<'static, Result<Option<Json>, String>> + Send + Sync>;

/// Receives a hook of a settings file that delays the start.
pub(crate) type StartHookFn = Arc<dyn Fn(&RunningHook) + Send + Sync>;

/// The closures of a session.
#[derive(Default)]
pub(crate) struct Closures {
    pub(crate) permission: Option<Callback<ToolPermissionRequest, PermissionResult>>,
    pub(crate) elicitation: Option<Callback<Elicitation, ElicitationResponse>>,
    pub(crate) dialog: Option<Callback<RequestUserDialog, UserDialogResponse>>,
    pub(crate) hooks: Hooks,
    /// The MCP servers in this process.
    pub(crate) mcp: Option<McpFn>,
    pub(crate) others: HashMap<String, Callback<Json, Json>>,
    /// Receives the hooks of settings files that delay the start.
    pub(crate) start_hook: Option<StartHookFn>,
    /// Whether the application reads `Session::requests`: requests without a closure go there.
    pub(crate) by_application: bool,
}

impl Closures {
    /// Returns the kinds of requests that this host answers. The engine needs them. `dialogs` are the kinds that the
    /// options declare.
    pub(crate) fn served(&self, dialogs: Option<&[String]>) -> Served {
        // The pattern names every field. So the compiler requires a decision here about a closure of a new kind.
        let Self {
            permission,
            elicitation,
            // The options declare the kinds of dialogs, so the callback is not needed here. A check before the start
            // ensures that the options and the callback fit.
            dialog: _,
            hooks,
            mcp,
            others,
            start_hook: _,
            by_application,
        } = self;
        Served {
            permissions: permission.is_some() || *by_application,
            elicitations: elicitation.is_some() || *by_application,
            dialogs: dialogs.unwrap_or_default().iter().cloned().collect(),
            hooks: hooks.specs(),
            mcp: mcp.is_some(),
            others: others.keys().cloned().collect(),
            all_others: *by_application,
        }
    }
}

/// The highest number of bytes of requests that callbacks and the application may hold: open
/// requests, withdrawn requests that still wait in `Session::requests`, and those of background
/// hooks, whose answers are not awaited.
const MOST_HELD: usize = 64 << 20;

/// The requests that are being processed. Dropping this value also drops their callbacks.
pub(crate) struct Callbacks {
    closures: Closures,
    shared: Weak<Shared>,
    /// The sender to the reader of `Session::requests`.
    requests: Option<RequestSender>,
    tasks: JoinSet<()>,
    working: HashMap<RequestId, Working>,
    /// Counts the bytes of the requests that are held. The limit is [`MOST_HELD`].
    held: ByteBudget,
    /// The channel for decisions. It needs no limit of its own: it contains at most one decision for each held request,
    /// and one for a refused request, because the driver takes the decisions before it reads the next line.
    decisions: Decisions,
    decided: mpsc::UnboundedReceiver<(RequestId, Decision, Duration)>,
    /// Cancelled when the session ends.
    session_end: CancellationToken,
}

struct Working {
    cancel: CancellationToken,
    /// The task of the callback. `None` if the application handles the request itself, through
    /// `Session::requests`.
    task: Option<AbortHandle>,
}

impl Callbacks {
    pub(crate) fn new(
        closures: Closures,
        shared: Weak<Shared>,
        requests: Option<RequestSender>,
    ) -> Self {
        let (decisions, decided) = mpsc::unbounded_channel();
        Self {
            closures,
            shared,
            requests,
            tasks: JoinSet::new(),
            working: HashMap::new(),
            held: ByteBudget::default(),
            decisions,
            decided,
            session_end: CancellationToken::new(),
        }
    }

    /// Waits for a decision. Returns it with the time for which its request has waited.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn decided(&mut self) -> (RequestId, Decision, Duration) {
        match self.decided.recv().await {
            Some((id, decision, waited)) => {
                self.working.remove(&id);
                while self.tasks.try_join_next().is_some() {}
                (id, decision, waited)
            }
            // This struct holds a sender, so the channel never closes.
            None => std::future::pending().await,
        }
    }

    /// Reports a hook that delays the start. The callback runs in a separate task, so a panic of
    /// the callback ends only this task.
    pub(crate) fn delayed(&mut self, hook: RunningHook) {
        let RunningHook { name, running_for } = &hook;
        tracing::warn!(
            event = "hook",
            ?name,
            ?running_for,
            "a hook delays the start"
        );
        if let Some(report) = self.closures.start_hook.clone() {
            self.spawn(Box::pin(async move { report(&hook) }));
        }
    }

    /// Starts to answer a new request.
    pub(crate) fn request(&mut self, id: RequestId, body: RequestBody, weight: usize) {
        // Removes tasks that were withdrawn and have ended.
        while self.tasks.try_join_next().is_some() {}
        let Some(held) = self.held.reserve(weight, MOST_HELD) else {
            let reason = "too many callbacks are running".to_owned();
            // This struct holds a receiver, so sending cannot fail.
            let _ = self.decisions.send((id, Err(reason), Duration::ZERO));
            return;
        };
        let held = Arc::new(held);
        let cancel = self.session_end.child_token();
        let context = CallbackContext::new(id.clone(), cancel.clone(), self.shared.clone());
        let decisions = self.decisions.clone();
        let request = OpenRequest::new(id.clone(), cancel.clone(), decisions, held.clone());
        let task = match body {
            RequestBody::Permission(tool) => match self.closures.permission.clone() {
                Some(call) => {
                    let tool = ToolPermissionRequest::new(*tool, context.clone());
                    let responder = Responder::new(context, request, Reply::Permission);
                    Some(self.run("permission", &call, tool, responder))
                }
                None => self.forward(RequestBody::Permission(tool), request),
            },
            RequestBody::Hook(called) => match self.closures.hooks.call(&called.callback_id) {
                Some((call, false)) => {
                    let responder = Responder::new(context, request, |json| Reply::Hook(Ok(json)));
                    Some(self.run("hook", &call, *called, responder))
                }
                Some((call, true)) => {
                    self.run_in_background(&call, *called, context, held);
                    let output = HookOutput::from(AsyncHookOutput::new());
                    request.answer(Reply::Hook(Json::new(&output)));
                    None
                }
                None => self.forward(RequestBody::Hook(called), request),
            },
            RequestBody::Elicitation(body) => match self.closures.elicitation.clone() {
                Some(call) => {
                    let responder = Responder::new(context, request, Reply::Elicitation);
                    Some(self.run("elicitation", &call, *body, responder))
                }
                None => self.forward(RequestBody::Elicitation(body), request),
            },
            RequestBody::Dialog(body) => match self.closures.dialog.clone() {
                Some(call) => {
                    let responder = Responder::new(context, request, Reply::Dialog);
                    Some(self.run("dialog", &call, *body, responder))
                }
                None => self.forward(RequestBody::Dialog(body), request),
            },
            // The message's server is in this process, so the application is not involved.
            RequestBody::Mcp(message) => {
                let responder = Responder::new(context, request, Reply::Mcp);
                let answer = self.closures.mcp.as_ref().map(|mcp| mcp(*message));
                answer.map(|answer| self.spawn_answer("mcp", answer, responder))
            }
            RequestBody::Other(other) => match self.closures.others.get(&other.subtype).cloned() {
                Some(call) => {
                    let responder = Responder::new(context, request, Reply::Other);
                    Some(self.run("request", &call, other.body, responder))
                }
                None => self.forward(RequestBody::Other(other), request),
            },
        };
        self.working.insert(id, Working { cancel, task });
    }

    /// Withdraws a request whose answer is no longer awaited.
    pub(crate) fn withdraw(&mut self, id: &RequestId) {
        if let Some(working) = self.working.remove(id) {
            // The token is cancelled before the drop, so that a responder knows that it need not answer.
            working.cancel.cancel();
            if let Some(task) = working.task {
                task.abort();
            }
        }
    }

    /// Passes a request to the application. If the application takes no requests, the request is dropped and thereby
    /// answered.
    fn forward(&self, body: RequestBody, request: OpenRequest) -> Option<AbortHandle> {
        if let Some(requests) = &self.requests {
            let _ = requests.unbounded_send((body, request));
        }
        None
    }

    fn run<Q, A>(
        &mut self,
        what: &'static str,
        call: &Callback<Q, A>,
        body: Q,
        responder: Responder<A>,
    ) -> AbortHandle
    where
        Q: Send + 'static,
        A: Send + 'static,
    {
        let call = call.clone();
        let context = responder.context().clone();
        self.spawn_answer(what, async move { call(body, context).await }, responder)
    }

    fn spawn_answer<A: Send + 'static>(
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

    /// Spawns boxed work, so that the runtime's own code is compiled for one type of task.
    fn spawn(&mut self, work: BoxFuture<'static, ()>) -> AbortHandle {
        self.tasks.spawn(work)
    }

    fn run_in_background(
        &mut self,
        call: &HookFn,
        called: HookCallback,
        context: CallbackContext,
        held: Arc<ByteReservation>,
    ) {
        let call = call.clone();
        let id = context.request_id().clone();
        let span = tracing::debug_span!("callback", what = "background hook", id = ?id.as_str());
        let work = async move {
            if let Err(reason) = caught("hook", async move { call(called, context).await }).await {
                tracing::warn!(?reason, "a hook in the background failed");
            }
            drop(held);
        };
        self.spawn(Box::pin(work.instrument(span)));
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        self.session_end.cancel();
    }
}

/// Awaits a call and catches its panic.
async fn caught<A>(what: &str, call: impl Future<Output = Result<A, String>>) -> Result<A, String> {
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(answer) => answer,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            // The text of the panic is only logged, because the model may read the reason.
            tracing::warn!(panic = text.unwrap_or("not a text"), "a callback panicked");
            Err(format!("the {what} callback panicked"))
        }
    }
}
