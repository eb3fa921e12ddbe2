//! Closures that block, as callbacks of a session: each call on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{Semaphore, oneshot};
use tracing::Span;

use crate::hook::{Hook, IntoHookOutput};
use crate::{CallbackContext, IntoAnswer};

/// How many callbacks of a session may be at work. They cannot be stopped, so that there is no other bound
/// to what a CLI starts that asks and takes back.
const MOST: usize = 128;

/// A hook's closure, for [`SessionBuilder::hook`](super::SessionBuilder::hook): any `Fn(input, context)`
/// that gives what [`IntoHookOutput`] takes.
pub trait BlockingHook<E: Hook>:
    Fn(E::Input, CallbackContext) -> <Self as BlockingHook<E>>::Answer + Send + Sync + 'static
{
    /// What the closure gives.
    type Answer: IntoHookOutput<E>;
}

impl<E, F, A> BlockingHook<E> for F
where
    E: Hook,
    F: Fn(E::Input, CallbackContext) -> A + Send + Sync + 'static,
    A: IntoHookOutput<E>,
{
    type Answer = A;
}

/// The threads of a session's callbacks.
#[derive(Clone)]
pub(super) struct Threads(Arc<Semaphore>);

impl Default for Threads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }
}

impl Threads {
    /// The closure as an async callback.
    pub(super) fn callback<Q, A, B>(
        &self,
        call: impl Fn(Q, CallbackContext) -> A + Send + Sync + 'static,
    ) -> impl Fn(Q, CallbackContext) -> BoxFuture<'static, Result<B, String>> + Send + Sync + 'static
    where
        Q: Send + 'static,
        A: IntoAnswer<B>,
        B: Send + 'static,
    {
        self.run(move |question, context| call(question, context).into_answer())
    }

    /// The closure as an async callback, its answer being what it gives.
    pub(super) fn run<Q, T>(
        &self,
        call: impl Fn(Q, CallbackContext) -> Result<T, String> + Send + Sync + 'static,
    ) -> impl Fn(Q, CallbackContext) -> BoxFuture<'static, Result<T, String>> + Send + Sync + 'static
    where
        Q: Send + 'static,
        T: Send + 'static,
    {
        let (threads, call) = (self.clone(), Arc::new(call));
        move |question, context| {
            let call = call.clone();
            threads.work(move || call(question, context))
        }
    }

    /// Does this on a thread of its own. Begun at once; goes on if the future is dropped.
    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, String>> {
        let room = self.0.clone().try_acquire_owned();
        let begun = room
            .map_err(|_| "too many callbacks are at work".to_owned())
            .and_then(|room| {
                let (sender, answer) = oneshot::channel();
                let span = Span::current();
                let work = move || {
                    let done = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
                    drop(room);
                    // Nobody waits where the question was taken back.
                    let _ = sender.send(done);
                };
                let thread = thread::Builder::new().name("claw-callback".into());
                let started = thread.spawn(work);
                started.map_err(|error| format!("no thread can be started: {error}"))?;
                Ok(answer)
            });
        async move {
            match begun?.await {
                Ok(Ok(answer)) => answer,
                // Whoever runs callbacks tells the log, and refuses.
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => Err("the callback's thread has ended".to_owned()),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
