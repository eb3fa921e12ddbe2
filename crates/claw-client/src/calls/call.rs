//! A call in progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use claw_types::control::{ControlRequestBody, Request};
use claw_types::{Json, Map, Unknown};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tracing::Span;

use crate::engine::CallId;
use crate::handle::commands::Command;
use crate::handle::shared::Shared;
use crate::outcome::error::{Cause, Error};
use crate::waiting::calls::Answer;

/// A call to the CLI: a future that completes with the response. Returned by
/// [`Session::call`](crate::Session::call). A `Call` keeps the session alive.
///
/// # Cancel safety
///
/// The call is sent with the first poll. If the future is dropped after that, claw asks the CLI to
/// cancel the call. Long work (a tool use, a question to the model beside the conversation) can
/// then end early. `interrupt` and `end_session` are not cancelled.
#[must_use = "nothing is sent before this is polled"]
pub struct Call<R: Request> {
    shared: Arc<Shared>,
    subtype: String,
    timeout: Option<Duration>,
    state: State,
    span: Span,
    answer: std::marker::PhantomData<fn() -> R>,
}

enum State {
    Unsent(Box<ControlRequestBody>),
    Waiting(CallId, oneshot::Receiver<Answer>),
    Done,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(shared: Arc<Shared>, body: R) -> Self {
        let body = body.into();
        let subtype = body.subtype().into_owned();
        Self {
            shared,
            span: tracing::debug_span!("call", %subtype),
            subtype,
            timeout: None,
            state: State::Unsent(Box::new(body)),
            answer: std::marker::PhantomData,
        }
    }

    /// Sets the timeout of this call, in place of
    /// [`call_timeout`](crate::SessionBuilder::call_timeout). The timeout starts with the first
    /// poll. After that, this method has no effect.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    fn send(&mut self, body: Box<ControlRequestBody>) -> Result<(), Error> {
        let (call, answered) = self.shared.call(body, self.timeout)?;
        self.state = State::Waiting(call, answered);
        Ok(())
    }

    fn read<T: DeserializeOwned>(&self, answer: Answer) -> Result<T, Error> {
        let payload = answer?.unwrap_or_else(Json::null);
        payload.parse().map_err(|error| {
            Error::from(Cause::BadAnswer {
                subtype: self.subtype.clone(),
                reason: error.to_string(),
            })
        })
    }
}

impl<R: Request> Future for Call<R> {
    type Output = Result<R::Response, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let span = self.span.clone();
        let _entered = span.enter();
        if let State::Unsent(_) = self.state
            && let State::Unsent(body) = std::mem::replace(&mut self.state, State::Done)
        {
            self.send(body)?;
        }
        let State::Waiting(_, answered) = &mut self.state else {
            return Poll::Ready(Err(self.shared.ended()));
        };
        let answer = ready!(Pin::new(answered).poll(cx));
        self.state = State::Done;
        Poll::Ready(match answer {
            Ok(answer) => self.read(answer),
            Err(_) => Err(self.shared.ended()),
        })
    }
}

impl<R: Request> Drop for Call<R> {
    fn drop(&mut self) {
        if let State::Waiting(call, _) = self.state {
            // Sending fails if the session has ended. Then no response is awaited any more.
            let _ = self.shared.command(Command::Forget(call));
        }
    }
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("subtype", &self.subtype)
            .finish_non_exhaustive()
    }
}

/// A call by the name of its kind, with fields of any form. It is meant for kinds of a newer CLI, which have no type in
/// [`control`](claw_types::control). [`Session::call`](crate::Session::call) and the other methods for calls of any kind
/// take it. The response is the payload as JSON: `null` if it has none.
///
/// ```no_run
/// use claw_client::types::Json;
/// use claw_client::{NamedCall, Session};
///
/// # async fn example(session: &Session) -> Result<(), claw_client::Error> {
/// let call = NamedCall::new("set_verbosity").field("level", serde_json::json!("high"));
/// let response: Json = session.call(call).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a call is sent by `Session::call`"]
pub struct NamedCall(Map<Json>);

const SUBTYPE: &str = "subtype";

impl NamedCall {
    /// Creates a call of the kind with this `subtype`, without other fields.
    pub fn new(subtype: impl Into<String>) -> Self {
        let subtype = serde_json::Value::from(subtype.into());
        Self(Map::of_values([(SUBTYPE, subtype)]))
    }

    /// Sets a field of the request. The field `subtype` stays as [`new`](Self::new) has set it.
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        let name = name.into();
        if name != SUBTYPE {
            self.0.insert(name, value.into());
        }
        self
    }
}

/// Converts the call to a typed body if claw knows the kind.
impl From<NamedCall> for ControlRequestBody {
    fn from(call: NamedCall) -> Self {
        // A map whose keys are texts can always be written as JSON.
        let json = Json::new(&call.0).unwrap_or_else(|_| Json::empty_object());
        json.parse()
            .unwrap_or_else(|_| Self::Unknown(Unknown::new(json)))
    }
}

impl Request for NamedCall {
    type Response = Json;
}
