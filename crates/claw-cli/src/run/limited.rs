//! Waits for the reset of a usage limit, and sends the prompt again.

use std::future::{pending, ready};
use std::time::Duration;

use claw_client::{Error, LimitWait, Prompt, Query, Session, SessionBuilder};
use futures::{StreamExt as _, stream};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::{Connection, Frames, Terminal};
use crate::limit;
use crate::outcome::Outcome;

/// The prompt of a query, which can be sent again. The query does not end before this value is dropped.
pub(super) struct Again {
    prompt: Prompt,
    sender: oneshot::Sender<Prompt>,
}

impl Connection<'_> {
    /// Sends the prompt. If the prompt may wait for the reset of a limit, also returns a second value. The query does
    /// not end before that value is dropped.
    pub(super) async fn query(
        self,
        session: SessionBuilder,
        prompt: Prompt,
    ) -> Result<(Query, Option<Again>), Error> {
        let session = self.on(session)?;
        if self.limit_wait.is_none() {
            return Ok((session.query(prompt).await?, None));
        }
        let (sender, repeated) = oneshot::channel();
        let again = Again {
            prompt: prompt.clone(),
            sender,
        };
        let repeated = stream::once(repeated).filter_map(|prompt| ready(prompt.ok()));
        let query = session.query_all(stream::iter([prompt]).chain(repeated));
        Ok((query.await?, Some(again)))
    }
}

impl Terminal {
    /// Sets the maximum wait for the reset of a limit, for the following turns. `None` means that a turn that ends at a
    /// limit fails.
    pub(crate) fn await_limits(&mut self, longest: Option<Duration>) {
        self.view.limit_wait = longest;
    }

    /// Removes and returns the wait of the last prompt. Returns `None` unless its turn has ended at a usage limit that
    /// is reset in time.
    pub(crate) fn limited(&mut self) -> Option<LimitWait> {
        self.view.limited.take()
    }

    /// Follows the turn of the only prompt. If the turn ends at a limit, waits for the reset, and follows the second
    /// turn.
    pub(super) async fn answered(
        &mut self,
        session: &Session,
        frames: &mut impl Frames,
    ) -> Result<Option<Outcome>, Outcome> {
        let followed = self.follow(session, frames, pending()).await?;
        let Some(wait) = self.limited() else {
            return Ok(followed);
        };
        self.wait(session, frames, &wait).await?;
        self.await_limits(None);
        if let Some(again) = self.again.take() {
            // An error means that the session has ended. The next call reports this.
            let _ = again.sender.send(again.prompt.without_uuid());
        }
        self.follow(session, frames, pending()).await
    }

    /// Waits for the reset of a limit. Meanwhile shows the messages of background work. Ctrl-C ends the wait with the
    /// error [`Outcome::Interrupted`].
    pub(crate) async fn wait(
        &mut self,
        session: &Session,
        frames: &mut impl Frames,
        wait: &LimitWait,
    ) -> Result<(), Outcome> {
        let shown = self.view.write_text(&limit::sentence(wait), false);
        shown.map_err(|error| Outcome::unwritten(&error))?;
        self.is_waiting = true;
        let waited = self.follow(session, frames, sleep(wait.left)).await;
        self.is_waiting = false;
        waited.map(drop)
    }
}
