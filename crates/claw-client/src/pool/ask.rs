//! Sends prompts of pooled sessions and waits for their answers, and compacts conversations. A prompt can also wait for
//! the reset of a usage limit.

use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use claw_types::message::CompactMetadata;

use super::Inner;
use super::scheduler::Use;
use super::session::PooledSession;
use crate::outcome::error::Error;
use crate::outcome::result::{LimitWait, TurnResult};
use crate::session::prompt::Prompt;

impl PooledSession {
    /// Sends a prompt and waits for the text of the answer to it, as [`Session::ask`](crate::Session::ask) does. In a
    /// pool with a [`limit_wait`](super::PoolBuilder::limit_wait), the prompt is sent a second time if its turn ends at
    /// a usage limit.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::ask`](crate::Session::ask). Also fails with the errors of
    /// [`SessionBuilder::connect`](crate::SessionBuilder::connect) if the process could not be started, and with
    /// [`Error::is_busy`] if the pool had no process for the prompt; nothing was sent then. The session remains usable
    /// after each of these errors: the next prompt starts a process.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits for a process, nothing is sent. If it is dropped later, the turn
    /// continues without a reader, as a dropped [`PooledTurn`](super::PooledTurn) does. If it is dropped while it waits
    /// for the reset of a limit, the prompt is not sent again.
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
            let Some(LimitWait { until, left }) = LimitWait::after(&result, reset, longest) else {
                return result.answer();
            };
            tracing::info!(
                target: "claw_client::pool",
                event = "limit",
                seconds = left.as_secs(),
                "a turn has ended at a usage limit; its prompt is sent again when that is reset"
            );
            let waiting = LimitedPrompt::begin(session.inner(), until);
            tokio::time::sleep(left).await;
            drop(waiting);
            session.once(prompt.without_uuid()).await
        }
    }

    /// Makes the CLI compact the conversation, as [`Session::compact`](crate::Session::compact) does. If the session has no
    /// process, the pool starts one.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::compact`](crate::Session::compact). Also fails with the errors of
    /// [`ask`](Self::ask) that come from the pool.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits for a process, nothing is sent. If it is dropped later, the compaction
    /// continues.
    pub fn compact(&self) -> impl Future<Output = Result<CompactMetadata, Error>> + Send + use<> {
        self.compact_with("")
    }

    /// Compacts the conversation as [`compact`](Self::compact) does, with instructions for the model about the summary.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`compact`](Self::compact).
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`compact`](Self::compact).
    pub fn compact_with<I: Into<String>>(
        &self,
        instructions: I,
    ) -> impl Future<Output = Result<CompactMetadata, Error>> + Send + use<I> {
        let instructions = instructions.into();
        self.clone().with(Use::Turn, move |permit, member| {
            member.begun();
            permit.session().compact_with(instructions)
        })
    }

    async fn once(&self, prompt: Prompt) -> Result<String, Error> {
        let asked = self.clone().with(Use::Turn, move |permit, member| {
            member.begun();
            permit.session().ask(prompt)
        });
        asked.await
    }

    /// Sends a prompt. Returns the result of its turn, and the reset time of a usage limit that the process has
    /// reported most recently.
    async fn reported(&self, prompt: Prompt) -> Result<(TurnResult, Option<SystemTime>), Error> {
        let asked = self.clone().with(Use::Turn, move |permit, member| {
            member.begun();
            let session = permit.session().clone();
            async move {
                let result = session.clone().own_result(prompt).await?;
                Ok((result, session.limit_reset()))
            }
        });
        asked.await
    }
}

/// Counts a prompt that waits for the reset of a usage limit. When this guard is dropped, the prompt is no longer
/// counted.
struct LimitedPrompt {
    pool: Arc<Inner>,
    number: u64,
}

impl LimitedPrompt {
    fn begin(pool: &Arc<Inner>, until: SystemTime) -> Self {
        let mut state = pool.lock();
        let number = state.number();
        state.limited.insert(number, until);
        drop(state);
        Self {
            pool: pool.clone(),
            number,
        }
    }
}

impl Drop for LimitedPrompt {
    fn drop(&mut self) {
        self.pool.lock().limited.remove(&self.number);
    }
}
