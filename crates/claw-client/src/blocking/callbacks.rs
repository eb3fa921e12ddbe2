//! Blocking closures as callbacks of a session. Each call runs on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{Semaphore, oneshot};
use tracing::Span;

use crate::hook::{Hook, IntoHookOutput};
use crate::requests::answer::IntoAnswer;
use crate::requests::context::CallbackContext;

/// The highest number of callbacks of a session that run at the same time. Callbacks cannot be
/// stopped. Without this limit, a CLI that sends and withdraws many requests would cause an
/// unlimited number of threads.
const MOST: usize = 128;

/// The closure of a hook, for [`SessionBuilder::hook`](super::SessionBuilder::hook): any `Fn(input,
/// context)` that returns what [`IntoHookOutput`] accepts.
pub trait BlockingHook<E: Hook>:
    Fn(E::Input, CallbackContext) -> <Self as BlockingHook<E>>::Answer + Send + Sync + 'static
{
    /// The return type of the closure.
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
    /// Wraps the closure as an async callback that returns a fallible answer.
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

    /// Wraps the closure as an async callback that returns the closure's result.
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
            threads.spawn(move || call(question, context))
        }
    }

    /// Runs the work on its own thread. It starts at once, and continues if the future is dropped.
    fn spawn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, String>> {
        let room = self.0.clone().try_acquire_owned();
        let begun = room
            .map_err(|_| "too many callbacks are running".to_owned())
            .and_then(|room| {
                let (sender, answer) = oneshot::channel();
                let span = Span::current();
                let work = move || {
                    let done = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
                    drop(room);
                    // Sending fails if the request was withdrawn, because its receiver was dropped.
                    let _ = sender.send(done);
                };
                let thread = thread::Builder::new().name("claw-callback".into());
                let started = thread.spawn(work);
                started.map_err(|error| format!("cannot start a thread: {error}"))?;
                Ok(answer)
            });
        async move {
            match begun?.await {
                Ok(Ok(answer)) => answer,
                // The code that awaits the callback logs the panic and refuses the request.
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => Err("the callback's thread has ended".to_owned()),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::executor::block_on;

    use super::*;

    #[test]
    fn more_closures_than_may_be_at_work_are_refused() {
        let threads = Threads::default();
        let (open, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let at_work: Vec<_> = (0..MOST)
            .map(|n| {
                let gate = gate.clone();
                threads.spawn(move || {
                    let opened = gate.lock().unwrap().recv();
                    opened.map(|()| n).map_err(|error| error.to_string())
                })
            })
            .collect();
        let refused = block_on(threads.spawn(|| Ok(()))).unwrap_err();
        assert!(refused.contains("too many"), "{refused}");
        for _ in 0..MOST {
            open.send(()).unwrap();
        }
        for (n, work) in at_work.into_iter().enumerate() {
            assert_eq!(block_on(work), Ok(n));
        }
        // The earlier callbacks have ended, so another one can run.
        assert_eq!(block_on(threads.spawn(|| Ok(4))), Ok(4));
    }
}
