//! Streams of messages.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use claw_codec::FrameItem;
use claw_types::control::CancelAsyncMessage;
use claw_types::{Message, MessageUuid};
use futures::future::poll_fn;
use futures::{Stream, StreamExt};

use crate::engine::TurnId;
use crate::error::Cause;
use crate::inbox::Reader;
use crate::{Call, Error, Prompt, Received, Session, TextStream, TurnEvents, TurnResult};

macro_rules! message_stream {
    ($name:ident) => {
        impl $name {
            /// The session.
            pub fn session(&self) -> &Session {
                &self.session
            }

            /// The next line: a message with the line's number and exact bytes, or a line that
            /// cannot be read. `None` at the end.
            ///
            /// # Errors
            ///
            /// As the stream itself.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: no line is lost.
            pub async fn next_frame(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
                poll_fn(|cx| self.lines.poll_frame(cx)).await
            }

            /// What happens, as simple events in place of messages: text, uses of tools, results.
            pub fn events(self) -> TurnEvents<Self> {
                TurnEvents::new(self)
            }
        }

        impl Stream for $name {
            type Item = Result<Received, Error>;

            fn poll_next(
                mut self: Pin<&mut Self>,
                cx: &mut Context<'_>,
            ) -> Poll<Option<Self::Item>> {
                let next = ready!(self.lines.poll_frame(cx));
                Poll::Ready(next.map(|frame| frame.map(Received::from)))
            }
        }
    };
}

/// The messages of one run: [`query`](crate::query).
///
/// Ends when the CLI has come to rest (background work that it started included) and its process
/// has ended. A line that cannot be read is an item as well ([`Received::Unreadable`]); an error is the
/// last one.
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
/// Where [`Session::messages`] has been taken, all messages go there, and a turn yields its result alone.
/// A line that cannot be read is an item as well ([`Received::Unreadable`]); an error is the last one:
/// [`Error::is_unreadable`] where it is the result that cannot be read.
///
/// # Drop
///
/// The turn goes on; its messages have no reader any more. Keeps the session alive while it is there.
#[derive(Debug)]
pub struct Turn {
    session: Session,
    id: TurnId,
    lines: Reader,
    prompt: MessageUuid,
}

/// All messages of a session: [`Session::messages`].
///
/// Ends with the session. A line that cannot be read is an item as well ([`Received::Unreadable`]); an
/// error is the last one.
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

impl Query {
    pub(crate) fn new(session: Session, lines: Reader) -> Self {
        Self { session, lines }
    }

    /// The text of the model's answers, as it comes.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }

    /// Waits for the end, and gives the result: the last one that answers a prompt. What background
    /// work ends with is no such result.
    ///
    /// # Errors
    ///
    /// [`Error::is_result_lost`] if there was no result, [`Error::unreadable`] if a line could not be read
    /// and there was none; the reason of the end, if the process ended before it had done all.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropped, it ends the process.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        let mut result = Err(Cause::ResultLost.into());
        while let Some(item) = self.next().await {
            match item? {
                Received::Message(message) if message.is_background_result() => {}
                Received::Message(message) => {
                    if let Ok(last) = message.try_into() {
                        result = Ok(last);
                    }
                }
                Received::Unreadable(line) if result.is_err() => {
                    result = Err(Cause::Unreadable(line).into());
                }
                Received::Unreadable(_) => {}
            }
        }
        result
    }

    /// Waits for the end, and gives the text of the answer.
    ///
    /// ```no_run
    /// use claw_client::{QueryOptions, query};
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let answer = query("What is 2 + 2?", QueryOptions::default()).await?.answer().await?;
    /// println!("{answer}");
    /// # Ok(())
    /// # }
    /// ```
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

impl Messages {
    pub(crate) fn new(session: Session, lines: Reader) -> Self {
        Self { session, lines }
    }
}

impl Turn {
    pub(crate) fn new(session: Session, id: TurnId, lines: Reader, prompt: MessageUuid) -> Self {
        Self {
            session,
            id,
            lines,
            prompt,
        }
    }

    pub(crate) fn id(&self) -> TurnId {
        self.id
    }

    /// The prompt's name, which results and the CLI's receipts name it by.
    pub fn prompt_uuid(&self) -> &MessageUuid {
        &self.prompt
    }

    /// Takes the prompt back, if it still waits. The answer says whether it did; then the turn ends
    /// with [`Error::is_result_lost`] when the CLI rests.
    pub fn cancel(&self) -> Call<CancelAsyncMessage> {
        self.session
            .call(CancelAsyncMessage::new(self.prompt.clone()))
    }

    /// The prompt whose turn answered this one as well: the CLI merges prompts that wait, and puts
    /// those that come while a turn runs into it. `None` before the result has been read, and where
    /// this prompt had a turn of its own.
    pub fn merged_into(&self) -> Option<&MessageUuid> {
        self.lines.merged_into()
    }

    /// The text of the model's answers, as it comes.
    pub fn text_stream(self) -> TextStream {
        TextStream::new(self)
    }

    /// Waits for the result, and lets go of the messages before it.
    ///
    /// # Errors
    ///
    /// [`Error::is_unreadable`] if the result is there and cannot be read, [`Error::is_result_lost`] if there
    /// will be none; the reason of the session's end, if it ends before.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the turn is gone. It goes on unheard.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        self.last().await
    }

    /// Waits for the result, and gives the text of the answer. [`Session::ask`] does so too, and sees
    /// to it that the answer is this prompt's own.
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

    /// As [`result`](Self::result), and keeps the turn: [`merged_into`](Self::merged_into) then knows.
    ///
    /// # Errors
    ///
    /// As [`result`](Self::result); [`Error::is_result_lost`] if the result was read before.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, but for the messages before the result, which are gone.
    pub async fn last(&mut self) -> Result<TurnResult, Error> {
        self.lines.result_only();
        let last = self.next_frame().await.transpose()?;
        // None where the result was taken out of the stream before.
        let last = last.and_then(FrameItem::into_frame);
        let result = last.and_then(|frame| frame.into_value().try_into().ok());
        result.ok_or_else(|| Cause::ResultLost.into())
    }
}

/// Runs one prompt in a process of its own.
///
/// Returns as soon as the process runs; whatever goes wrong after that comes in the stream.
/// [`Session::builder`] has more to set, [`SessionBuilder::query`](crate::SessionBuilder::query)
/// then does the same. On a `current_thread` runtime the messages are read [while that is
/// polled](Session#on-a-current_thread-runtime).
///
/// # Errors
///
/// [`Error::is_launch_failure`] if there is no CLI to start.
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
