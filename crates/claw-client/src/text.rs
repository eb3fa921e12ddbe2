//! The text of a turn, as it comes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;

use crate::{Error, Received, Turn, TurnEvent, TurnEvents, TurnResult};

/// The text of the model's answers, piece by piece: [`Query::text_stream`](crate::Query::text_stream),
/// [`Turn::text_stream`].
///
/// The pieces are those of the CLI's partial messages
/// ([`include_partial_messages`](claw_types::QueryOptions::include_partial_messages)); an answer of
/// which none came is one piece. What sub-agents and tools say is not in it.
///
/// Ends with the turn; an error is the last item. After the end [`result`](Self::result) has the turn's
/// result. A line that cannot be read is passed over, which the log tells:
/// [`unreadable`](Self::unreadable) says how many there were.
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

    /// The stream of messages that the text is taken from.
    pub fn get_ref(&self) -> &S {
        self.events.get_ref()
    }

    /// The turn's result; of a query with several, the last. `None` before the end, and where the turn
    /// has ended without one.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_ref()
    }

    /// How many lines of the turn, so far, could not be read: text may be missing.
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
