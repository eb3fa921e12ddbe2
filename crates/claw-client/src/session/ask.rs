//! Sends a prompt and waits for the answer to exactly this prompt.

use std::future::Future;

use bytes::Bytes;
#[cfg(feature = "schemars")]
use futures::future::BoxFuture;
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;

use crate::handle::Session;
use crate::handle::commands::{Command, PromptTiming};
use crate::handle::shared::sent;
use crate::outcome::error::{Cause, Error};
use crate::outcome::result::TurnResult;
use crate::session::messages::Turn;
use crate::session::prompt::Prompt;

impl Session {
    /// Sends a prompt and waits for the text of its answer. The answer always belongs to this prompt, never to another
    /// prompt.
    ///
    /// The CLI answers queued prompts together, in one turn. To ensure that no caller receives the answer to another
    /// caller's prompt, `ask` and [`ask_as`](Self::ask_as) wait in a queue of the session. Their order is the order of
    /// their first polls. A prompt is sent once every earlier prompt of the session has its result, including prompts
    /// of [`send`](Self::send).
    ///
    /// `send` itself does not wait in this queue. If the CLI adds a prompt of `send` to the running turn of an `ask`,
    /// that `ask` fails, and [`is_merged`](Error::is_merged) is true for the error. The error contains the answer to
    /// both prompts.
    ///
    /// Do not call this method in a callback of the same session. That is a deadlock: the callback waits for the turn,
    /// and the turn waits for the callback. Use another session in a callback.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`send`](Self::send) and [`Turn::result`]. Also fails if the turn failed (then
    /// [`is_turn_failed`](Error::is_turn_failed) is true for the error), or if the CLI answered another prompt in the
    /// same turn (then [`is_merged`](Error::is_merged) is true).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits in the queue, nothing is sent. If the prompt was already sent, its turn
    /// continues without a reader, and the next prompt in the queue waits for the end of that turn.
    /// [`interrupt`](Self::interrupt) ends the turn sooner.
    pub fn ask<P: Into<Prompt>>(
        &self,
        prompt: P,
    ) -> impl Future<Output = Result<String, Error>> + Send + use<P> {
        let result = self.clone().own_result(prompt.into());
        async move { result.await?.answer() }
    }

    /// Sends a prompt and waits for its structured output: a value of the type that the session was built for with
    /// [`SessionBuilder::output_as`](crate::SessionBuilder::output_as). The output always belongs to this prompt,
    /// because the prompt waits in the same queue as the prompts of [`ask`](Self::ask).
    ///
    /// ```no_run
    /// use claw_client::{QueryOptions, Session};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Sum {
    ///     /// The result of the addition.
    ///     sum: i64,
    /// }
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let session = Session::builder(QueryOptions::default()).output_as::<Sum>().connect().await?;
    /// let answer: Sum = session.ask_as("What is 2 + 2?").await?;
    /// assert_eq!(answer.sum, 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`ask`](Self::ask). Also fails if the model gave no output, or output that cannot
    /// be deserialized as `T`: [`is_output`](Error::is_output) is true for that error. If the session was built for
    /// another type or without `output_as`, the call fails and sends nothing:
    /// [`is_bad_request`](Error::is_bad_request) is true for that error.
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`ask`](Self::ask).
    #[cfg(feature = "schemars")]
    pub fn ask_as<T>(&self, prompt: impl Into<Prompt>) -> BoxFuture<'static, Result<T, Error>>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let built_for = self.shared.initialize.json_schema.as_ref();
        let fits =
            built_for.is_some_and(|schema| *schema == crate::outcome::output::schema_of::<T>());
        let result = self.clone().own_result(prompt.into());
        Box::pin(async move {
            if !fits {
                return Err(Error::bad_request(
                    "the prompt",
                    "the session was not built with `output_as` for this type",
                ));
            }
            result.await?.output()
        })
    }

    /// Returns the result of a turn that no other prompt of this session shares.
    pub(crate) async fn own_result(self, prompt: Prompt) -> Result<TurnResult, Error> {
        let mut asked = self.own_turn(prompt).await?;
        let result = asked.0.last().await?;
        asked.own(result)
    }

    /// Sends a prompt once every earlier prompt has its result, and returns its turn. The turn has only the
    /// lines from which its result is made: those of the model's last message, and those of a compaction.
    pub(crate) async fn own_turn(self, prompt: Prompt) -> Result<QueuedPrompt, Error> {
        let (uuid, line) = prompt.into_line(self.shared.verbatim)?;
        let line = sent(&self.shared.queue, line).await;
        let line = line.ok_or_else(|| self.shared.ended())?;
        let mut turn = self.open_turn(&uuid)?;
        turn.result_only();
        turn.begin(uuid, Bytes::from_owner(line), PromptTiming::InTurn)?;
        Ok(QueuedPrompt(turn))
    }
}

/// A prompt that is queued or was written. If it is dropped while it is queued, it is not sent.
pub(crate) struct QueuedPrompt(pub(crate) Turn);

impl QueuedPrompt {
    /// Returns the result. Fails if the result also answers another prompt.
    pub(crate) fn own(&self, result: TurnResult) -> Result<TurnResult, Error> {
        let own = self.0.prompt_uuid();
        if result.prompts().iter().any(|prompt| prompt != own) {
            return Err(Cause::Merged(Box::new(result)).into());
        }
        Ok(result)
    }
}

impl Drop for QueuedPrompt {
    fn drop(&mut self) {
        let Self(turn) = self;
        // The command fails if the session has ended. The prompt is not sent then either.
        let _ = turn.session().shared.command(Command::TakeBack(turn.id()));
    }
}
