//! The text of a turn as it arrives.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;

use crate::{Error, Received, Turn, TurnEvent, TurnEvents, TurnResult};

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
    result: Option<TurnResult>,
}

impl<S> TextStream<S> {
    pub(crate) fn new(messages: S) -> Self {
        Self {
            events: TurnEvents::new(messages),
            unreadable: 0,
            result: None,
        }
    }

    /// Returns the underlying stream of messages.
    pub fn get_ref(&self) -> &S {
        self.events.get_ref()
    }

    /// Returns the result of the turn, or the last result of a query with several turns. `None`
    /// before the end, and if the turn has ended without a result.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_ref()
    }

    /// Returns how many lines of the turn could not be read so far. If the number is not 0, text may be missing.
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
