//! Lines that wait for their reader.
//!
//! The driver puts in, readers take out, neither waits for the other. Lines wait as the bytes that
//! they came in, and are decoded by whoever takes them.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use claw_codec::{FrameItem, LineItem};
use claw_types::{Frame, Message};
use tokio::sync::Notify;

use crate::Error;
use crate::end::End;
use crate::engine::TurnId;

/// How much a line counts for beside its bytes.
const OVERHEAD: usize = 64;

/// Whose lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// All of the session's.
    All,
    /// One turn's.
    Turn(TurnId),
}

/// All lines of a session that wait.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    /// Rung when there is room again.
    pub(crate) room: Notify,
}

#[derive(Default)]
struct Waiting {
    streams: HashMap<Stream, Queue>,
    bytes: usize,
    skipped: u64,
    end: Option<(End, bool)>,
}

/// The lines of one stream.
#[derive(Default)]
struct Queue {
    lines: VecDeque<LineItem>,
    /// What comes after the last line.
    last: Option<Last>,
    waker: Option<Waker>,
    /// Its reader wants the result alone.
    result_only: bool,
}

/// The end of one stream.
#[derive(Debug)]
enum Last {
    Result(LineItem),
    Lost,
    Nothing,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a stream. `None` if there is one of this name.
    pub(crate) fn open(self: &Arc<Self>, stream: Stream) -> Option<Reader> {
        let mut waiting = self.lock();
        if waiting.streams.contains_key(&stream) {
            return None;
        }
        waiting.streams.insert(stream, Queue::default());
        Some(Reader {
            inbox: self.clone(),
            stream,
        })
    }

    /// A line for a turn, or for nobody in particular.
    pub(crate) fn line(&self, turn: Option<TurnId>, item: LineItem) {
        self.lock().push(turn, item);
    }

    /// The line that ends these turns.
    pub(crate) fn result(&self, turns: &[TurnId], item: &LineItem) {
        let mut waiting = self.lock();
        if turns.is_empty() || waiting.streams.contains_key(&Stream::All) {
            waiting.push(None, item.clone());
        }
        for turn in turns {
            waiting.finish(Stream::Turn(*turn), Last::Result(item.clone()));
        }
    }

    /// A stream is over without its result.
    pub(crate) fn lost(&self, stream: Stream) {
        self.lock().finish(stream, Last::Lost);
    }

    /// Nothing more comes. The first reason counts. `complete` says that the stream of all lines
    /// has what it should have.
    pub(crate) fn end(&self, end: End, complete: bool) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert((end, complete));
        for queue in waiting.streams.values_mut() {
            queue.wake();
        }
    }

    /// Why nothing more comes, if nothing does.
    pub(crate) fn ended(&self) -> Option<End> {
        self.lock().end.as_ref().map(|(end, _)| end.clone())
    }

    /// How many bytes wait.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// How many lines nobody could read.
    pub(crate) fn skipped(&self) -> u64 {
        self.lock().skipped
    }
}

impl Waiting {
    fn push(&mut self, turn: Option<TurnId>, item: LineItem) {
        let turn = turn.map(Stream::Turn);
        let stream = [Some(Stream::All), turn].into_iter().flatten();
        let reader = stream
            .into_iter()
            .find(|stream| self.streams.contains_key(stream));
        let queue = reader.and_then(|stream| self.streams.get_mut(&stream));
        match queue {
            Some(queue) if !queue.result_only => {
                self.bytes += weight(&item);
                queue.lines.push_back(item);
                queue.wake();
            }
            Some(_) => {}
            None => self.skipped += 1,
        }
    }

    fn finish(&mut self, stream: Stream, last: Last) {
        if let Some(queue) = self.streams.get_mut(&stream) {
            queue.last.get_or_insert(last);
            queue.wake();
        }
    }
}

impl Queue {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn weight(&self) -> usize {
        self.lines.iter().map(weight).sum()
    }
}

fn weight(item: &LineItem) -> usize {
    let bytes = match item {
        LineItem::Line(line) => line.raw.len(),
        LineItem::TooLong(long) => long.head.len() + long.tail.len(),
        _ => 0,
    };
    bytes + OVERHEAD
}

/// The one who takes the lines of a stream.
///
/// Dropping it frees what waits; what comes after that counts as skipped.
pub(crate) struct Reader {
    inbox: Arc<Inbox>,
    stream: Stream,
}

impl Reader {
    /// The next line, decoded.
    pub(crate) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Message, Bytes>, Error>>> {
        let item = {
            let mut waiting = self.inbox.lock();
            let Waiting {
                streams,
                bytes,
                end,
                ..
            } = &mut *waiting;
            let Some(queue) = streams.get_mut(&self.stream) else {
                return Poll::Ready(None);
            };
            if let Some(item) = queue.lines.pop_front() {
                *bytes -= weight(&item);
                self.inbox.room.notify_one();
                item
            } else {
                match queue.last.replace(Last::Nothing) {
                    Some(Last::Result(item)) => item,
                    Some(Last::Lost) => return Poll::Ready(Some(Err(Error::ResultLost))),
                    Some(Last::Nothing) => return Poll::Ready(None),
                    None => {
                        let Some((end, complete)) = end else {
                            queue.last = None;
                            queue.waker = Some(cx.waker().clone());
                            return Poll::Pending;
                        };
                        // A turn without its result is never complete.
                        let complete = *complete && self.stream == Stream::All;
                        return Poll::Ready((!complete).then(|| Err(end.error())));
                    }
                }
            }
        };
        Poll::Ready(Some(match FrameItem::from(item) {
            FrameItem::Frame(frame) => Ok(frame),
            FrameItem::Malformed(bad) => Err(Error::Malformed(bad)),
            FrameItem::TooLong(long) => Err(Error::TooLong(long)),
            _ => Err(Error::Closed),
        }))
    }

    /// Lets go of the lines that wait, and of those to come, but for the result.
    pub(crate) fn result_only(&mut self) {
        let mut waiting = self.inbox.lock();
        if let Some(queue) = waiting.streams.get_mut(&self.stream) {
            queue.result_only = true;
            let freed = queue.weight();
            queue.lines.clear();
            waiting.bytes -= freed;
        }
        self.inbox.room.notify_one();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut waiting = self.inbox.lock();
        if let Some(queue) = waiting.streams.remove(&self.stream) {
            waiting.bytes -= queue.weight();
        }
        self.inbox.room.notify_one();
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("streams", &self.streams.len())
            .field("bytes", &self.bytes)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
