//! Streams of messages.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use claw_codec::FrameItem;
use claw_types::control::CancelAsyncMessage;
use claw_types::{Message, MessageUuid};
use futures::future::poll_fn;
use futures::{Stream, StreamExt};

use crate::calls::Call;
use crate::engine::TurnId;
use crate::handle::Session;
use crate::handle::commands::{Command, PromptLine, PromptTiming};
use crate::handle::shared::sent;
use crate::outcome::error::{Cause, Error};
use crate::outcome::received::Received;
use crate::outcome::result::TurnResult;
use crate::session::prompt::Prompt;
use crate::waiting::inbox::{self, Reader};

macro_rules! message_stream {
    ($name:ident) => {
        impl $name {
            /// Returns the session of this stream.
            pub fn session(&self) -> &Session {
                &self.session
            }

            /// Returns the next line: a message with the line's number and exact bytes, or a line
            /// that cannot be read. `None` at the end of the stream.
            ///
            /// # Errors
            ///
            /// Fails with the errors that the stream also yields as items.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: no line is lost.
            pub async fn next_frame(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
                poll_fn(|cx| self.lines.poll_frame(cx)).await
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

/// The messages of one run of the CLI, as a stream. Returned by [`query`](crate::query).
///
/// The stream ends when the CLI and its background work are idle and the process has ended. A line that cannot be read
/// is an item too ([`Received::Unreadable`]). An error is the last item.
///
/// # Drop
///
/// Dropping the `Query` ends the process, if it still runs. The drop does not wait for the end.
#[derive(Debug)]
#[must_use = "dropping a query ends it"]
pub struct Query {
    session: Session,
    lines: Reader,
}

/// The messages of one turn, as a stream that ends with the turn's result. Returned by
/// [`Session::send`].
///
/// After a call of [`Session::messages`], all messages go to the stream that it returns, and a turn yields only its
/// result. A line that cannot be read is an item too ([`Received::Unreadable`]). An error is the last item. If the
/// result itself cannot be read, [`Error::is_unreadable`] is true for that error.
///
/// # Drop
///
/// A `Turn` keeps the session alive until it is dropped. If it is dropped early, the turn continues without a reader.
#[derive(Debug)]
pub struct Turn {
    session: Session,
    id: TurnId,
    lines: Reader,
    prompt: MessageUuid,
}

/// All messages of a session, as a stream. Returned by [`Session::messages`].
///
/// The stream ends with the session. A line that cannot be read is an item too ([`Received::Unreadable`]). An error is
/// the last item.
///
/// # Drop
///
/// The stream keeps the session alive until it is dropped. After that, messages go to their turns again.
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

    /// Waits for the end of the query and returns the last result that answers a prompt. Results of background work
    /// are ignored.
    ///
    /// # Errors
    ///
    /// If the process ended before all work was done, fails with the cause of its end. Also fails if no result
    /// arrived: [`Error::is_result_lost`] is true for that error, or [`Error::unreadable`] returns the line that could
    /// not be read.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropping the future ends the process.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        let mut result = Err(Cause::ResultLost.into());
        while let Some(item) = self.next().await {
            match item? {
                Received::Message(message) if message.is_background_result() => {}
                Received::Message(message) => {
                    if let Some(last) = self.lines.result(message) {
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

    /// Waits for the end of the query and returns the text of the answer.
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

    /// Sends the prompt of this turn.
    pub(crate) fn begin(&self, uuid: String, line: Bytes, when: PromptTiming) -> Result<(), Error> {
        let turn = self.id;
        let prompt = PromptLine { turn, uuid, line };
        self.session.shared.command(Command::Prompt(prompt, when))
    }

    /// Discards the messages before the result. See [`Reader::result_only`].
    pub(crate) fn result_only(&mut self) {
        self.lines.result_only();
    }

    /// Returns the UUID of the prompt. Results and the CLI's receipts refer to the prompt by this
    /// UUID.
    pub fn prompt_uuid(&self) -> &MessageUuid {
        &self.prompt
    }

    /// Cancels the prompt if it is still queued. The response says whether it was cancelled. If so, the turn fails
    /// when the CLI becomes idle, and [`Error::is_result_lost`] is true for its error.
    pub fn cancel(&self) -> Call<CancelAsyncMessage> {
        self.session
            .call(CancelAsyncMessage::new(self.prompt.clone()))
    }

    /// Returns the UUID of the other prompt whose turn also answered this prompt. The CLI merges
    /// queued prompts, and adds prompts that arrive during a turn to that turn. `None` before the
    /// result was read, and if this prompt had its own turn.
    pub fn merged_into(&self) -> Option<&MessageUuid> {
        self.lines.merged_into()
    }

    /// Waits for the result and discards the messages before it.
    ///
    /// # Errors
    ///
    /// Fails if the result arrived but cannot be read ([`Error::is_unreadable`] is true for that error), and if no
    /// result will arrive ([`Error::is_result_lost`] is true). If the session ends before the result, fails with the
    /// cause of the session's end.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped, the `Turn` is dropped too. The turn continues without a reader.
    pub async fn result(mut self) -> Result<TurnResult, Error> {
        self.last().await
    }

    /// Waits for the result and returns the text of the answer. [`Session::ask`] also ensures that
    /// the answer belongs to its own prompt.
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

    /// Waits for the result as [`result`](Self::result) does, but does not consume the turn, so
    /// that [`merged_into`](Self::merged_into) can be called afterwards.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`result`](Self::result). Also fails if the result was already read:
    /// [`Error::is_result_lost`] is true for that error.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the result is not lost. The messages before the result are discarded in any case.
    pub async fn last(&mut self) -> Result<TurnResult, Error> {
        self.result_only();
        while let Some(item) = self.next_frame().await.transpose()? {
            let frame = item.into_frame();
            if let Some(result) = frame.and_then(|frame| self.finished(frame.into_value())) {
                return Ok(result);
            }
        }
        // The result was already taken from the stream.
        Err(Cause::ResultLost.into())
    }

    /// Converts a message of this turn to the turn's result if it is one. The text of the result is the whole answer.
    pub(crate) fn finished(&mut self, message: Message) -> Option<TurnResult> {
        self.lines.result(message)
    }
}

impl Session {
    /// Sends a prompt and returns its turn, a stream of messages that ends with the result.
    ///
    /// This method can be called while another turn runs. claw does not queue prompts itself. The CLI starts the
    /// prompt as soon as possible, adds it to the running turn, or answers several queued prompts in one turn. The
    /// turns of prompts that are answered together end with the same result, which may answer any of them; see
    /// [`Turn::merged_into`]. [`ask`](Self::ask) gives each prompt its own answer.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a prompt: [`Error::is_bad_request`] is true for that error. If the session has ended,
    /// fails with the cause of its end.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. The future waits while more than 8 MiB of earlier prompts wait for the CLI to read them. If the
    /// future is dropped while it waits, nothing is sent.
    pub fn send<P: Into<Prompt>>(
        &self,
        prompt: P,
    ) -> impl Future<Output = Result<Turn, Error>> + Send + use<P> {
        let (session, prompt) = (self.clone(), prompt.into());
        async move {
            let shared = &session.shared;
            let (uuid, line) = prompt.into_line(shared.verbatim)?;
            let line = sent(&shared.outbox, line).await;
            let line = line.ok_or_else(|| shared.ended())?;
            session.prompt(uuid, Bytes::from_owner(line), PromptTiming::AtOnce)
        }
    }

    pub(crate) fn prompt(
        &self,
        uuid: String,
        line: Bytes,
        when: PromptTiming,
    ) -> Result<Turn, Error> {
        let turn = self.open_turn(&uuid)?;
        turn.begin(uuid, line, when)?;
        Ok(turn)
    }

    /// Opens the stream of a turn, before its prompt is sent.
    pub(crate) fn open_turn(&self, uuid: &str) -> Result<Turn, Error> {
        let turn = self.shared.next_turn();
        let lines = self
            .shared
            .inbox
            .open(inbox::Stream::Turn(turn))
            .ok_or(Cause::MessagesTaken)?;
        Ok(Turn::new(
            self.clone(),
            turn,
            lines,
            MessageUuid::from(uuid),
        ))
    }

    /// Returns a stream of all messages of the session, including those between turns. From now on, all messages go to
    /// this stream, and a turn yields only its result. The stream begins with the earlier messages without a reader:
    /// messages of dropped turns, and messages between turns. The session stores at most the last 1 MiB of these
    /// messages.
    ///
    /// # Errors
    ///
    /// Fails if an earlier stream of this method still exists: [`Error::is_taken`] is true for that error.
    pub fn messages(&self) -> Result<Messages, Error> {
        let lines = self
            .shared
            .inbox
            .open(inbox::Stream::All)
            .ok_or(Cause::MessagesTaken)?;
        Ok(Messages::new(self.clone(), lines))
    }
}
