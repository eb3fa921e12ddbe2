//! A prompt and its own answer, also over a usage limit.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use claw_types::Number;

use super::Inner;
use super::session::PooledSession;
use crate::{Error, Prompt, TurnResult};

/// Behind the reset, so that a clock that is a little ahead of the service's is not too early.
const MARGIN: Duration = Duration::from_secs(5);

impl PooledSession {
    /// Sends a prompt and waits for the text of its own answer, as [`Session::ask`](crate::Session::ask) does. In a pool
    /// with a [`limit_wait`](super::PoolBuilder::limit_wait), the prompt is sent once more if its turn ends at a usage
    /// limit.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::ask`](crate::Session::ask). Also fails with the errors of
    /// [`SessionBuilder::connect`](crate::SessionBuilder::connect) if the process could not be started, and with
    /// [`Error::is_busy`] if there was no process for the prompt; nothing was sent then. The session remains usable
    /// after each of these errors: the next prompt starts a process.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits for a process, nothing is sent. If it is dropped later, the turn
    /// continues without a reader, and the process is kept until the turn ends. If it is dropped while it waits for the
    /// reset of a limit, the prompt is not sent again.
    pub fn ask<P: Into<Prompt>>(
        &self,
        prompt: P,
    ) -> impl Future<Output = Result<String, Error>> + Send + use<P> {
        let (session, prompt) = (self.clone(), prompt.into());
        async move {
            let Some(longest) = session.inner().limit_wait else {
                return session.once(prompt).await;
            };
            let (result, reset) = session.reported(prompt.clone()).await?;
            let reset = reset.filter(|_| is_limit(&result));
            let Some((reset, left)) = reset.and_then(|reset| wait(reset, longest)) else {
                return result.answer();
            };
            tracing::info!(
                target: "claw_client::pool",
                event = "limit",
                seconds = left.as_secs(),
                "a turn has ended at a usage limit; its prompt is sent again when that is reset"
            );
            let waiting = LimitWait::begin(session.inner(), reset);
            tokio::time::sleep(left).await;
            drop(waiting);
            session.once(prompt.anew()).await
        }
    }

    async fn once(&self, prompt: Prompt) -> Result<String, Error> {
        let asked = self.clone().with(move |permit, member| {
            member.begun();
            permit.session().ask(prompt)
        });
        asked.await
    }

    /// The result of a turn of its own, and when a limit is reset that the CLI has reported in it.
    async fn reported(&self, prompt: Prompt) -> Result<(TurnResult, Option<u64>), Error> {
        let asked = self.clone().with(move |permit, member| {
            member.begun();
            permit.session().clone().reported_result(prompt)
        });
        asked.await
    }
}

/// Whether a turn has ended because the API took no more requests of this login.
fn is_limit(result: &TurnResult) -> bool {
    let status = match result {
        TurnResult::Success(result) if result.is_error => result.api_error_status.value(),
        _ => None,
    };
    status.and_then(Number::as_u64) == Some(429)
}

/// When a prompt is sent again, and how long that is from now. `None` if it is too long.
fn wait(reset: u64, longest: Duration) -> Option<(SystemTime, Duration)> {
    let since = Duration::from_secs(reset).saturating_add(MARGIN);
    let reset = SystemTime::UNIX_EPOCH.checked_add(since)?;
    let left = reset.duration_since(SystemTime::now()).unwrap_or_default();
    (left <= longest).then_some((reset, left))
}

/// A prompt that waits, as the pool's counters show it. It waits no more with the drop.
struct LimitWait {
    pool: Arc<Inner>,
    number: u64,
}

impl LimitWait {
    fn begin(pool: &Arc<Inner>, reset: SystemTime) -> Self {
        let mut state = pool.lock();
        let number = state.number();
        state.limited.insert(number, reset);
        drop(state);
        Self {
            pool: pool.clone(),
            number,
        }
    }
}

impl Drop for LimitWait {
    fn drop(&mut self) {
        self.pool.lock().limited.remove(&self.number);
    }
}
