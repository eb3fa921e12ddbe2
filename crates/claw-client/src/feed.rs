//! Successive prompts of a query.

use std::pin::pin;
use std::sync::Weak;

use bytes::Bytes;
use futures::{Stream, StreamExt};

use crate::commands::{Command, PromptTiming};
use crate::session::{Shared, sent};
use crate::{Prompt, Session};

/// Writes the prompts as they arrive, and reports the end of the prompts. Holds a strong reference
/// to the session only while it writes a prompt.
pub(crate) async fn feed(
    session: Weak<Shared>,
    prompts: impl Stream<Item = impl Into<Prompt>> + Send,
) {
    let mut prompts = pin!(prompts);
    while let Some(prompt) = prompts.next().await {
        let Some((outbox, verbatim)) = session
            .upgrade()
            .map(|shared| (shared.outbox.clone(), shared.verbatim))
        else {
            return;
        };
        let (uuid, line) = match prompt.into().into_line(verbatim) {
            Ok(written) => written,
            Err(error) => {
                tracing::warn!(%error, "a prompt is passed over");
                continue;
            }
        };
        let Some(line) = sent(&outbox, line).await else {
            return;
        };
        let Some(shared) = session.upgrade() else {
            return;
        };
        // The messages of this prompt go to the stream of all messages.
        let session = Session { shared };
        let line = Bytes::from_owner(line);
        if session.prompt(uuid, line, PromptTiming::AtOnce).is_err() {
            return;
        }
    }
    if let Some(shared) = session.upgrade() {
        // If the session has ended, the command is not needed.
        let _ = shared.command(Command::LastPrompt);
    }
}
