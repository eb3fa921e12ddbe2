//! The text of a turn as it arrives.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;

use crate::outcome::error::Error;
use crate::outcome::received::Received;
use crate::outcome::result::TurnResult;
use crate::session::events::{TurnEvent, TurnEvents};
use crate::session::messages::{Query, Turn};

/// The text of the model's answers, as a stream of pieces. Returned by
/// [`Query::text_stream`](crate::Query::text_stream) and [`Turn::text_stream`].
///
/// The pieces are the CLI's partial messages
/// ([`include_partial_messages`](claw_types::QueryOptions::include_partial_messages)). An answer
/// without partial messages is one piece. The text of sub-agents and tools is not included.
///
/// The stream ends with the turn. An error is the last item. After the end,
/// [`result`](Self::result) returns the turn's result. A line that cannot be read is skipped and
/// logged; [`unreadable`](Self::unreadable) returns the number of such lines.
#[derive(Debug)]
pub struct TextStream<S = Turn> {
    events: TurnEvents<S>,
    unreadable: u64,
    withdrawn: String,
    result: Option<TurnResult>,
}

impl Query {
    /// Returns the text of the model's answers as it arrives.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl Turn {
    /// Returns the text of the model's answers as it arrives.
    pub fn text_stream(self) -> TextStream {
        TextStream::new(self)
    }
}

impl<S> TextStream<S> {
    pub(crate) fn new(messages: S) -> Self {
        Self {
            events: TurnEvents::new(messages),
            unreadable: 0,
            withdrawn: String::new(),
            result: None,
        }
    }

    /// Returns the underlying stream of messages.
    pub fn get_ref(&self) -> &S {
        self.events.get_ref()
    }

    /// Returns the text that was removed from the answer since the last call of this method, because the connection to
    /// the API broke off. It is the end of the text that was returned before the last piece. The text of a new attempt
    /// follows it. Call this method after each piece and at the end, and remove the returned text from what was shown.
    /// Returns an empty text if nothing was removed.
    ///
    /// ```no_run
    /// # use futures::TryStreamExt;
    /// # async fn example(mut text: claw_client::TextStream) -> Result<(), claw_client::Error> {
    /// let mut shown = String::new();
    /// while let Some(piece) = text.try_next().await? {
    ///     shown.truncate(shown.len() - text.take_withdrawn().len());
    ///     shown += &piece;
    /// }
    /// shown.truncate(shown.len() - text.take_withdrawn().len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn take_withdrawn(&mut self) -> String {
        std::mem::take(&mut self.withdrawn)
    }

    /// Returns the result of the turn, or the last result of a query with several turns. `None`
    /// before the end, and if the turn has ended without a result.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_ref()
    }

    /// Returns the number of lines of the turn that could not be read so far. If the number is not 0, text may be
    /// missing.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }
}

impl<S> Stream for TextStream<S>
where
    S: Stream<Item = Result<Received, Error>> + Unpin,
{
    type Item = Result<String, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(Pin::new(&mut self.events).poll_next(cx)?) {
                None => return Poll::Ready(None),
                Some(TurnEvent::Text(text)) => return Poll::Ready(Some(Ok(text))),
                Some(TurnEvent::Withdrawn(withdrawn)) => self.withdrawn += &withdrawn.text,
                Some(TurnEvent::Result(result)) => self.result = Some(result),
                Some(TurnEvent::Unreadable(line)) => {
                    tracing::warn!(%line, "a line is missing in the text of a turn");
                    self.unreadable += 1;
                }
                Some(_) => {}
            }
        }
    }
}
