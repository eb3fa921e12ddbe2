//! The compaction of a conversation, on request.

use std::future::Future;

use claw_types::Message;
use claw_types::message::{CompactMetadata, CompactResult, UserMessage};
use futures::TryStreamExt as _;

use crate::handle::Session;
use crate::outcome::error::{Cause, Error, NotCompacted};
use crate::session::prompt::Prompt;

impl Session {
    /// Makes the CLI compact the conversation: the model summarises it, and the summary replaces the earlier messages.
    /// Returns the CLI's report, such as the number of tokens before and after. The request for the summary counts
    /// toward the [`usage`](Self::usage).
    ///
    /// Like a prompt of [`ask`](Self::ask), the compaction waits in a queue of the session until every earlier prompt
    /// has its result. Do not call this method in a callback of the same session, for the same reason.
    ///
    /// ```no_run
    /// # async fn example(session: claw_client::Session) -> Result<(), claw_client::Error> {
    /// match session.compact().await {
    ///     Ok(done) => println!("{} tokens before, {:?} after", done.pre_tokens, done.post_tokens),
    ///     Err(error) if error.is_not_compacted() => println!("{error}"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the CLI did not compact the conversation: [`is_not_compacted`](Error::is_not_compacted) is true for
    /// that error, and the conversation is as before. Also fails with the same errors as [`ask`](Self::ask).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits in the queue, nothing is sent. If the command was already sent, the
    /// compaction continues. [`interrupt`](Self::interrupt) ends it.
    pub fn compact(&self) -> impl Future<Output = Result<CompactMetadata, Error>> + Send + use<> {
        self.compact_with("")
    }

    /// Compacts the conversation as [`compact`](Self::compact) does, with instructions for the model about the summary,
    /// such as `Keep the list of open tasks.`
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
        let (session, prompt) = (self.clone(), command(&instructions.into()));
        async move {
            let mut asked = session.own_turn(prompt).await?;
            let (mut compacted, mut failed, mut result) = (None, None, None);
            while let Some(received) = asked.0.try_next().await? {
                let Some(message) = received.into_message() else {
                    continue;
                };
                match &message {
                    Message::CompactBoundary(boundary) => {
                        compacted = Some(boundary.compact_metadata.clone());
                    }
                    Message::Status(status)
                        if status.compact_result == Some(CompactResult::Failed) =>
                    {
                        failed = Some(status.compact_error.clone().unwrap_or_default());
                    }
                    _ => {}
                }
                if let Some(last) = asked.0.finished(message) {
                    result = Some(last);
                }
            }
            let result = asked.own(result.ok_or(Cause::ResultLost)?)?;
            if let Some(compacted) = compacted {
                return Ok(compacted);
            }
            if result.is_error() {
                return Err(Cause::Failed(Box::new(result)).into());
            }
            let why = NotCompacted {
                is_failed: failed.is_some(),
                reason: failed.unwrap_or_else(|| result.text().into_owned()),
            };
            Err(Cause::NotCompacted(why, Box::new(result)).into())
        }
    }
}

/// Returns the command as a prompt. The command is never taken verbatim, even in a session with verbatim prompts.
fn command(instructions: &str) -> Prompt {
    let command = format!("/compact {}", instructions.trim());
    UserMessage::prompt(command.trim_end())
        .client_composed(false)
        .into()
}
