//! The lines of one turn, for the request that started the turn.
//!
//! Neither the turn nor the request waits for the other. The turn continues if the request is dropped, and the size of
//! the waiting lines is bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use claw_client::codec::FrameItem;
use claw_types::Message;
use tokio::sync::Notify;

/// The memory that a waiting line needs besides its bytes.
const OVERHEAD: usize = 64;

/// An item of a turn's output.
#[derive(Debug, PartialEq)]
pub(crate) enum TurnItem {
    /// A line that the CLI has written, readable or not. Contains the exact bytes of the line, without the line ending.
    Line(Bytes),
    /// The line with this number was too long and was discarded.
    TooLong(u64),
    /// The turn has its result. This is the last item.
    Done,
    /// The turn has no result, or its remaining lines were left out. This is the last item.
    Failed(String),
}

#[derive(Debug, Default)]
struct Waiting {
    items: VecDeque<TurnItem>,
    bytes: usize,
    /// The end of the turn. The receiver gets it after the waiting items.
    end: Option<TurnItem>,
    /// Whether the receiver needs nothing more, because it was dropped, or has received the end.
    is_left: bool,
}

#[derive(Debug, Default)]
struct Both {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

impl Both {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the end of the turn, unless an end was already set.
    fn end(&self, end: TurnItem) {
        self.lock().end.get_or_insert(end);
        self.changed.notify_one();
    }
}

/// The sending side of the channel, which belongs to the turn.
///
/// # Drop
///
/// If the sender is dropped without a call of [`end`](Self::end), the turn counts as failed, because its session was
/// closed.
#[derive(Debug)]
pub(crate) struct TurnSender {
    both: Arc<Both>,
    most: usize,
    error: Option<String>,
}

impl TurnSender {
    /// Creates a channel, and returns both sides. At most `most` bytes of lines wait in the channel. A single line may
    /// be longer.
    pub(crate) fn new(most: usize) -> (Self, TurnReceiver) {
        let both = Arc::<Both>::default();
        let output = Self {
            both: both.clone(),
            most,
            error: None,
        };
        (output, TurnReceiver { both })
    }

    /// Sends a line of the turn.
    pub(super) fn line(&self, line: &FrameItem<Message>) {
        let mut waiting = self.both.lock();
        if waiting.is_left || waiting.end.is_some() {
            return;
        }
        let raw = match line {
            FrameItem::Frame(frame) => frame.raw(),
            FrameItem::Malformed(bad) => Some(&*bad.raw),
            FrameItem::TooLong(_) => None,
        };
        let bytes = raw.map_or(0, <[u8]>::len) + OVERHEAD;
        if waiting.bytes + bytes > self.most && !waiting.items.is_empty() {
            let text = "the response is read too slowly: the rest of the turn is left out";
            waiting.end = Some(TurnItem::Failed(text.to_owned()));
        } else {
            waiting.bytes += bytes;
            waiting.items.push_back(raw.map_or_else(
                || TurnItem::TooLong(line.number()),
                // The line is copied, because it shares a buffer with other lines. Without the copy, the other lines
                // would stay in memory too.
                |raw| TurnItem::Line(Bytes::copy_from_slice(raw)),
            ));
        }
        drop(waiting);
        self.both.changed.notify_one();
    }

    /// Sets the reason why the turn has no result. It is sent at the end.
    pub(super) fn fail(&mut self, error: &str) {
        self.error = Some(error.to_owned());
    }

    /// Sends the end of the turn.
    pub(crate) fn end(mut self) {
        let failed = self.error.take().map(TurnItem::Failed);
        self.both.end(failed.unwrap_or(TurnItem::Done));
    }
}

impl Drop for TurnSender {
    fn drop(&mut self) {
        let closed = || "the session was closed before the turn was over".to_owned();
        let error = self.error.take().unwrap_or_else(closed);
        self.both.end(TurnItem::Failed(error));
    }
}

/// The receiving side of the channel, which belongs to the request.
///
/// # Drop
///
/// If the receiver is dropped, the turn continues, and its lines are discarded.
#[derive(Debug)]
pub(crate) struct TurnReceiver {
    both: Arc<Both>,
}

impl TurnReceiver {
    /// Returns the next item. Returns `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<TurnItem> {
        loop {
            {
                let mut waiting = self.both.lock();
                if let Some(items) = waiting.items.pop_front() {
                    let bytes = match &items {
                        TurnItem::Line(line) => line.len(),
                        _ => 0,
                    };
                    waiting.bytes -= bytes + OVERHEAD;
                    return Some(items);
                }
                if waiting.is_left {
                    return None;
                }
                if let Some(end) = waiting.end.take() {
                    waiting.is_left = true;
                    return Some(end);
                }
            }
            self.both.changed.notified().await;
        }
    }
}

impl Drop for TurnReceiver {
    fn drop(&mut self) {
        *self.both.lock() = Waiting {
            is_left: true,
            ..Waiting::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use claw_client::codec::{Line, decode_line};
    use futures::FutureExt as _;

    use super::*;

    fn line(text: &'static str) -> FrameItem<Message> {
        decode_line(Line::new(1, Bytes::from_static(text.as_bytes())))
    }

    fn now(receiver: &mut TurnReceiver) -> Option<TurnItem> {
        receiver.next().now_or_never().unwrap()
    }

    fn text_item(text: &'static str) -> TurnItem {
        TurnItem::Line(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn lines_come_as_they_are_and_the_end_after_them() {
        let (output, mut receiver) = TurnSender::new(1 << 10);
        assert_eq!(receiver.next().now_or_never(), None);
        let spaced = r#"{ "type" : "keep_alive" }"#;
        output.line(&line(spaced));
        output.line(&line("no JSON"));
        output.end();
        assert_eq!(now(&mut receiver), Some(text_item(spaced)));
        assert_eq!(now(&mut receiver), Some(text_item("no JSON")));
        assert_eq!(now(&mut receiver), Some(TurnItem::Done));
        assert_eq!(now(&mut receiver), None);
    }

    #[test]
    fn what_waits_is_bounded_and_the_rest_is_left_out() {
        let (output, mut receiver) = TurnSender::new(2 * (OVERHEAD + 3));
        output.line(&line("one"));
        output.line(&line("two"));
        assert_eq!(now(&mut receiver), Some(text_item("one")));
        output.line(&line("six"));
        output.line(&line("ten"));
        output.line(&line("a"));
        output.end();
        assert_eq!(now(&mut receiver), Some(text_item("two")));
        assert_eq!(now(&mut receiver), Some(text_item("six")));
        let Some(TurnItem::Failed(error)) = now(&mut receiver) else {
            panic!("it was too much");
        };
        assert!(error.contains("too slowly"), "{error}");
        assert_eq!(now(&mut receiver), None);
    }

    #[test]
    fn one_line_may_be_longer_than_the_bound() {
        let (output, mut receiver) = TurnSender::new(1);
        output.line(&line("long"));
        assert_eq!(now(&mut receiver), Some(text_item("long")));
    }

    #[test]
    fn nothing_is_kept_for_a_request_that_has_left() {
        let (output, receiver) = TurnSender::new(1 << 10);
        output.line(&line("one"));
        drop(receiver);
        output.line(&line("two"));
        let waiting = output.both.lock();
        assert_eq!((waiting.items.len(), waiting.bytes), (0, 0));
    }

    #[test]
    fn a_turn_that_nobody_ended_has_failed() {
        let (mut output, mut receiver) = TurnSender::new(1);
        output.fail("because");
        drop(output);
        assert_eq!(
            now(&mut receiver),
            Some(TurnItem::Failed("because".to_owned()))
        );
        let (output, mut receiver) = TurnSender::new(1);
        drop(output);
        let Some(TurnItem::Failed(error)) = now(&mut receiver) else {
            panic!("its session was closed");
        };
        assert!(error.contains("closed"), "{error}");
    }
}
