//! A call in progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use claw_types::Json;
use claw_types::control::{ControlRequestBody, Request};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tracing::Span;

use crate::Error;
use crate::calls::Answer;
use crate::commands::Command;
use crate::engine::CallId;
use crate::error::Cause;
use crate::session::Shared;

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
            // If the session has ended, no response is awaited.
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
