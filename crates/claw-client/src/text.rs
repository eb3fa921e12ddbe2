//! The text of a turn, as it comes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use claw_types::Message;
use claw_types::api::{ContentBlockDelta, StreamEvent};
use futures::Stream;

use crate::{Error, Received, Turn, TurnResult};

/// The text of the model's answers in a turn, piece by piece: [`Turn::text_stream`].
///
/// The pieces are those of the CLI's partial messages
/// ([`include_partial_messages`](claw_types::QueryOptions::include_partial_messages)); an answer of
/// which none came is one piece. What sub-agents and tools say is not in it.
///
/// Ends with the turn; an error is the last item. After the end [`result`](Self::result) has the turn's
/// result. A line that cannot be read is passed over, which the log tells:
/// [`unreadable`](Self::unreadable) says how many there were.
#[derive(Debug)]
pub struct TextStream {
    turn: Turn,
    /// The answer that is being given came in pieces.
    in_pieces: bool,
    unreadable: u64,
    result: Option<TurnResult>,
}

impl TextStream {
    pub(crate) fn new(turn: Turn) -> Self {
        Self {
            turn,
            in_pieces: false,
            unreadable: 0,
            result: None,
        }
    }

    /// The turn's result. `None` before the end, and where the turn has ended without one.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_ref()
    }

    /// How many lines of the turn, so far, could not be read: text may be missing.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// The text of a message that belongs to the answer.
    fn text_of(&mut self, message: Message) -> Option<String> {
        let text = match &message {
            Message::StreamEvent(event) if event.parent_tool_use_id.is_none() => {
                match &event.event {
                    StreamEvent::MessageStart(_) => {
                        self.in_pieces = false;
                        return None;
                    }
                    StreamEvent::ContentBlockDelta(delta) => match &delta.delta {
                        ContentBlockDelta::Text(text) => {
                            self.in_pieces = true;
                            text.text.clone()
                        }
                        _ => return None,
                    },
                    _ => return None,
                }
            }
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                let text = message.text();
                // The whole of what came in pieces comes once more, a line a block.
                if text.is_empty() || std::mem::take(&mut self.in_pieces) {
                    return None;
                }
                text
            }
            _ => {
                self.result = message.try_into().ok();
                return None;
            }
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

impl Stream for TextStream {
    type Item = Result<String, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(Pin::new(&mut self.turn).poll_next(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(Received::Unreadable(line))) => {
                    tracing::warn!(%line, "a line is missing in the text of a turn");
                    self.unreadable += 1;
                }
                Some(Ok(Received::Message(message))) => {
                    if let Some(text) = self.text_of(message) {
                        return Poll::Ready(Some(Ok(text)));
                    }
                }
            }
        }
    }
}
