//! A turn of a session of the pool.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use claw_codec::FrameItem;
use claw_types::control::Interrupt;
use claw_types::{Message, MessageUuid};
use futures::{Stream, StreamExt};

use super::member::Member;
use super::permit::Permit;
use crate::calls::Call;
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::outcome::received::Received;
use crate::outcome::result::TurnResult;
use crate::session::events::TurnEvents;
use crate::session::messages::Turn;
use crate::session::text::TextStream;

/// The messages of one turn, as a stream that ends with the turn's result. Returned by
/// [`PooledSession::send`](super::PooledSession::send). See [`Turn`] for the details.
///
/// The session keeps its process until the turn has its result.
///
/// # Drop
///
/// A `PooledTurn` counts as a handle of its session. If it is dropped, the turn continues without a reader. The pool
/// does not take the process for another session until the turn ends. The process ends earlier if the last handle of
/// the session is dropped, or if [`end_process`](super::PooledSession::end_process) is called.
#[must_use = "the turn continues without a reader when this is dropped"]
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

    /// Returns the UUID of the prompt. The CLI uses this UUID in the messages that refer to the prompt, such as the
    /// result of the turn. Returns `None` once the turn has ended.
    pub fn prompt_uuid(&self) -> Option<&MessageUuid> {
        self.running.as_ref().map(|(turn, _)| turn.prompt_uuid())
    }

    /// Returns the [`Session`] of the process in which the turn runs, for calls during the turn. Returns `None` once
    /// the turn has ended. The pool may then end the process, even if a program still holds the returned handle.
    pub fn session(&self) -> Option<&Session> {
        self.running.as_ref().map(|(turn, _)| turn.session())
    }

    /// Interrupts the turn, as [`Session::interrupt`] does. Returns `None` once the turn has ended.
    pub fn interrupt(&self) -> Option<Call<Interrupt>> {
        self.running
            .as_ref()
            .map(|(turn, _)| turn.session().interrupt())
    }

    /// Returns the next line with its exact bytes, as [`Turn::next_frame`] does. Returns `None` once the turn has
    /// ended.
    ///
    /// # Errors
    ///
    /// Fails with the errors that the stream also yields as items.
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

    /// Converts the messages into a stream of simple events.
    pub fn events(self) -> TurnEvents<Self> {
        TurnEvents::new(self)
    }

    /// Returns the text of the model's answers as it arrives.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }

    /// Waits for the result and discards the messages before it.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Turn::result`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped, the `PooledTurn` is dropped too. The turn continues without a reader.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        self.last().await
    }

    /// Waits for the result as [`result`](Self::result) does, but does not consume the turn, so that the turn can be
    /// [interrupted](Self::interrupt) after a time-out.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Turn::last`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the result is not lost. The messages before the result are discarded in any case.
    pub async fn last(&mut self) -> Result<TurnResult, Error> {
        let result = match &mut self.running {
            Some((turn, _)) => turn.last().await,
            None => Err(Cause::ResultLost.into()),
        };
        self.running = None;
        result
    }

    /// Waits for the result and returns the text of the answer.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`result`](Self::result). Also fails if the turn failed:
    /// [`Error::is_turn_failed`] is true for that error.
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`result`](Self::result).
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
            // The permit is detached before `member` is dropped. If `member` is the last handle of the session, its
            // drop ends the process.
            permit.detach();
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
