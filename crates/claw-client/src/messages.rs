//! Streams of messages.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use claw_types::{Frame, Message};
use futures::Stream;
use futures::future::poll_fn;

use crate::inbox::Reader;
use crate::{Error, Prompt, Session, TurnResult};

/// A message with its line: the line's number, and its exact bytes.
pub type MessageFrame = Frame<Message, Bytes>;

macro_rules! message_stream {
    ($name:ident) => {
        impl $name {
            pub(crate) fn new(session: Session, lines: Reader) -> Self {
                Self { session, lines }
            }

            /// The session.
            pub fn session(&self) -> &Session {
                &self.session
            }

            /// The next message with its line. `None` at the end.
            ///
            /// # Errors
            ///
            /// As the stream itself.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: no message is lost.
            pub async fn next_frame(&mut self) -> Option<Result<MessageFrame, Error>> {
                poll_fn(|cx| self.lines.poll_frame(cx)).await
            }
        }

        impl Stream for $name {
            type Item = Result<Message, Error>;

            fn poll_next(
                mut self: Pin<&mut Self>,
                cx: &mut Context<'_>,
            ) -> Poll<Option<Self::Item>> {
                let frame = self.lines.poll_frame(cx);
                frame.map(|frame| frame.map(|frame| frame.map(Frame::into_value)))
            }
        }
    };
}

/// The messages of one run: [`query`](crate::query).
///
/// Ends when the CLI has come to rest (background work that it started included) and its process
/// has ended. An item that is an error about one line ([`Error::is_line`]) is followed by others;
/// any other error is the last item.
///
/// # Drop
///
/// Ends the process, if it has not ended, without waiting.
#[derive(Debug)]
#[must_use = "dropping a query ends it"]
pub struct Query {
    session: Session,
    lines: Reader,
}

/// The messages of one turn, its result the last: [`Session::send`].
///
/// Who has taken [`Session::messages`] gets all of them there; a turn then yields its result alone.
/// An item that is an error about one line ([`Error::is_line`]) is followed by others, unless the
/// line was the result; any other error is the last item.
///
/// # Drop
///
/// The turn goes on; its messages have no reader any more. Keeps the session alive while it is there.
#[derive(Debug)]
pub struct Turn {
    session: Session,
    lines: Reader,
}

/// All messages of a session: [`Session::messages`].
///
/// Ends with the session. An item that is an error about one line ([`Error::is_line`]) is followed
/// by others; any other error is the last item.
///
/// # Drop
///
/// Messages go to their turns again. Keeps the session alive while it is there.
#[derive(Debug)]
pub struct Messages {
    session: Session,
    lines: Reader,
}

message_stream!(Query);
message_stream!(Turn);
message_stream!(Messages);

impl Turn {
    /// Waits for the result, and lets go of the messages before it.
    ///
    /// # Errors
    ///
    /// [`Error::ResultLost`], [`Error::Malformed`] or [`Error::TooLong`] if the result is there and
    /// cannot be read; the reason of the session's end, if it ends before.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the turn is gone. It goes on unheard.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        self.lines.result_only();
        match self.next_frame().await {
            Some(frame) => frame?
                .into_value()
                .try_into()
                .map_err(|_| Error::ResultLost),
            // The result was taken out of the stream before.
            None => Err(Error::ResultLost),
        }
    }
}

/// Runs one prompt in a process of its own.
///
/// Returns as soon as the process runs; whatever goes wrong after that comes in the stream.
/// [`Session::builder`] has more to set, [`SessionBuilder::query`](crate::SessionBuilder::query)
/// then does the same.
///
/// # Errors
///
/// [`Error::Transport`] if there is no CLI to start.
///
/// # Cancel safety
///
/// If the future is dropped, the process is ended.
///
/// # Panics
///
/// Outside of a tokio runtime.
pub async fn query(
    prompt: impl Into<Prompt>,
    options: claw_types::QueryOptions,
) -> Result<Query, Error> {
    Session::builder(options).query(prompt).await
}
