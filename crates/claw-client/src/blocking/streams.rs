//! Messages and requests as iterators.

use claw_codec::FrameItem;
use claw_types::control::{CancelAsyncMessage, Request};
use claw_types::{Message, MessageUuid};
use futures::{Stream, StreamExt};

use super::{Blocking, Session, TextStream, TurnEvents};
use crate::outcome::error::Error;
use crate::outcome::result::TurnResult;

/// The iterator of the stream's items. Each call of `next` waits for the next item.
///
/// # Panics
///
/// Panics in async code.
impl<S: Stream + Unpin> Iterator for Blocking<S> {
    type Item = S::Item;

    #[track_caller]
    fn next(&mut self) -> Option<S::Item> {
        self.runtime.wait(self.inner.next())
    }
}

macro_rules! messages {
    ($($name:ident)+) => {$(
        impl Blocking<crate::$name> {
            /// Returns the session of this stream.
            pub fn session(&self) -> Session {
                self.wrap(self.inner.session().clone())
            }

            /// Waits for the next line: a message with the line's number and exact bytes, or a line
            /// that cannot be read. `None` at the end of the stream.
            ///
            /// # Errors
            ///
            /// Fails with the errors that the iterator also yields as items.
            #[track_caller]
            pub fn next_frame(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
                self.runtime.wait(self.inner.next_frame())
            }

            /// Converts the messages into an iterator of simple events: see
            /// [`TurnEvent`](crate::TurnEvent).
            pub fn events(self) -> TurnEvents<crate::$name> {
                Blocking {
                    inner: self.inner.events(),
                    runtime: self.runtime,
                }
            }
        }
    )+};
}

messages!(Query Turn Messages);

macro_rules! answers {
    ($($name:ident)+) => {$(
        impl Blocking<crate::$name> {
            /// Returns an iterator of the text of the model's answers, as it arrives.
            pub fn text_stream(self) -> TextStream<crate::$name> {
                Blocking {
                    inner: self.inner.text_stream(),
                    runtime: self.runtime,
                }
            }

            /// Waits for the end of the messages and returns the text of the answer.
            ///
            /// # Errors
            ///
            /// Fails with the same errors as `result`. Also fails if the turn failed: [`Error::is_turn_failed`] is
            /// true for that error.
            #[track_caller]
            pub fn answer(self) -> Result<String, Error> {
                self.runtime.wait(self.inner.answer())
            }
        }
    )+};
}

answers!(Query Turn);

impl Blocking<crate::Query> {
    /// Waits for the end of the query and returns its last result.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Query::result`](crate::Query::result).
    #[track_caller]
    pub fn result(self) -> Result<TurnResult, Error> {
        self.runtime.wait(self.inner.result())
    }
}

impl Blocking<crate::Turn> {
    /// Returns the UUID of the prompt: see [`Turn::prompt_uuid`](crate::Turn::prompt_uuid).
    pub fn prompt_uuid(&self) -> &MessageUuid {
        self.inner.prompt_uuid()
    }

    /// Cancels the prompt if it is still queued: see [`Turn::cancel`](crate::Turn::cancel).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::call`].
    #[track_caller]
    pub fn cancel(&self) -> Result<<CancelAsyncMessage as Request>::Response, Error> {
        self.runtime.wait(self.inner.cancel())
    }

    /// Returns the UUID of the other prompt whose turn also answered the prompt of this turn. `None` if no other
    /// prompt's turn did. See [`Turn::merged_into`](crate::Turn::merged_into).
    pub fn merged_into(&self) -> Option<&MessageUuid> {
        self.inner.merged_into()
    }

    /// Waits for the result and discards the messages before it.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Turn::last`](crate::Turn::last).
    #[track_caller]
    pub fn result(&mut self) -> Result<TurnResult, Error> {
        self.runtime.wait(self.inner.last())
    }
}

impl<S> Blocking<crate::TextStream<S>> {
    /// Returns the result of the turn: see [`TextStream::result`](crate::TextStream::result).
    pub fn result(&self) -> Option<&TurnResult> {
        self.inner.result()
    }

    /// Returns the text that was removed from the answer since the last call: see
    /// [`TextStream::take_withdrawn`](crate::TextStream::take_withdrawn).
    pub fn take_withdrawn(&mut self) -> String {
        self.inner.take_withdrawn()
    }

    /// Returns the number of lines that could not be read: see
    /// [`TextStream::unreadable`](crate::TextStream::unreadable).
    pub fn unreadable(&self) -> u64 {
        self.inner.unreadable()
    }
}
