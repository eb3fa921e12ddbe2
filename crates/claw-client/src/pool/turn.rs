//! A turn of a session of the pool.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use claw_codec::FrameItem;
use claw_types::control::Interrupt;
use claw_types::{Message, MessageUuid};
use futures::{Stream, StreamExt};

use super::permit::Permit;
use super::session::Member;
use crate::error::Cause;
use crate::{Call, Error, Received, Session, TextStream, Turn, TurnEvents, TurnResult};

/// The messages of one turn, its result the last: [`PooledSession::send`](super::PooledSession::send). As a
/// [`Turn`], which says the rest.
///
/// The session keeps its process until the turn has its result.
///
/// # Drop
///
/// The turn goes on unheard. The process is kept until it ends.
#[must_use = "the turn goes on unheard when this is dropped"]
pub struct PooledTurn {
    member: Arc<Member>,
    running: Option<(Turn, Permit)>,
}

impl PooledTurn {
    pub(super) fn new(member: Arc<Member>, permit: Permit, turn: Turn) -> Self {
        Self {
            member,
            running: Some((turn, permit)),
        }
    }

    /// The prompt's name, which results name it by. `None` once the turn is over.
    pub fn prompt_uuid(&self) -> Option<&MessageUuid> {
        self.running.as_ref().map(|(turn, _)| turn.prompt_uuid())
    }

    /// The process that the turn runs in, for calls while it runs. `None` once the turn is over. The pool ends the
    /// process when it needs its place, even if somebody else still holds a handle.
    pub fn session(&self) -> Option<&Session> {
        self.running.as_ref().map(|(turn, _)| turn.session())
    }

    /// Stops the turn, as [`Session::interrupt`]. `None` once the turn is over.
    pub fn interrupt(&self) -> Option<Call<Interrupt>> {
        self.running
            .as_ref()
            .map(|(turn, _)| turn.session().interrupt())
    }

    /// The next line, with its exact bytes: as [`Turn::next_frame`]. `None` once the turn is over.
    ///
    /// # Errors
    ///
    /// As the stream itself.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no line is lost.
    pub async fn next_frame(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
        let (turn, _) = self.running.as_mut()?;
        let next = turn.next_frame().await;
        if !matches!(next, Some(Ok(_))) {
            self.running = None;
        }
        next
    }

    /// What happens, as simple events in place of messages.
    pub fn events(self) -> TurnEvents<Self> {
        TurnEvents::new(self)
    }

    /// The text of the model's answers, as it comes.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }

    /// Waits for the result, and lets go of the messages before it.
    ///
    /// # Errors
    ///
    /// As [`Turn::result`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the turn is gone. It goes on unheard.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        let result = match &mut self.running {
            Some((turn, _)) => turn.last().await,
            None => Err(Cause::ResultLost.into()),
        };
        self.running = None;
        result
    }

    /// Waits for the result, and gives the text of the answer.
    ///
    /// # Errors
    ///
    /// As [`result`](Self::result); [`Error::is_turn_failed`] if the turn failed.
    ///
    /// # Cancel safety
    ///
    /// As [`result`](Self::result).
    pub async fn answer(self) -> Result<String, Error> {
        self.result().await?.answer()
    }
}

impl Stream for PooledTurn {
    type Item = Result<Received, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some((turn, _)) = &mut self.running else {
            return Poll::Ready(None);
        };
        let next = ready!(turn.poll_next_unpin(cx));
        if !matches!(next, Some(Ok(_))) {
            self.running = None;
        }
        Poll::Ready(next)
    }
}

impl Drop for PooledTurn {
    fn drop(&mut self) {
        if let Some((mut turn, permit)) = self.running.take() {
            self.member.pool().inner.runtime.spawn(async move {
                let _ = turn.last().await;
                drop(permit);
            });
        }
    }
}

impl fmt::Debug for PooledTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = self.running.as_ref().map(|(turn, _)| turn);
        f.debug_struct("PooledTurn")
            .field("turn", &turn)
            .finish_non_exhaustive()
    }
}
