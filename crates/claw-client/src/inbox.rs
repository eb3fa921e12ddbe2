//! Lines that wait for their reader.
//!
//! The driver puts in, readers take out, neither waits for the other. Lines wait as the bytes that
//! they came in, and are decoded by whoever takes them.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use claw_codec::{FrameItem, LineItem};
use claw_types::{Message, MessageUuid};
use tokio::sync::Notify;

use crate::engine::{Own, TurnId};
use crate::error::Cause;
use crate::{Error, Unreadable};

/// How much a line counts for beside its bytes.
const OVERHEAD: usize = 64;

/// How much is kept of what nobody reads, for a reader of all lines who comes later.
const RING: usize = 1 << 20;

/// Behind so many lines of one stream, one that is shorter than this is copied: else it would keep
/// the whole buffer that it was read into, most of which may have been other readers'.
const BACKLOG: usize = 256;
const SHORT: usize = 16 << 10;

/// A reader takes lines of this weight at once. They count for its bound no more.
const HELD: usize = 16 << 10;

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
    /// Rung when there is room again, or somebody waits who did not.
    pub(crate) room: Notify,
}

#[derive(Default)]
struct Waiting {
    streams: HashMap<Stream, Queue>,
    /// In all streams.
    bytes: usize,
    /// The last lines that nobody could read, and how many bytes they are.
    ring: VecDeque<LineItem>,
    ring_bytes: usize,
    skipped: u64,
    end: Option<(Error, bool)>,
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
    /// The result, and the prompt whose turn it was if that is another one.
    Result(LineItem, Option<MessageUuid>),
    Lost,
    /// Others' lines have taken all the room.
    Backlogged,
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
        let mut queue = Queue::default();
        if stream == Stream::All {
            queue.lines = std::mem::take(&mut waiting.ring);
            waiting.bytes += std::mem::take(&mut waiting.ring_bytes);
        }
        waiting.streams.insert(stream, queue);
        Some(Reader {
            inbox: self.clone(),
            stream,
            held: VecDeque::new(),
            merged_into: None,
        })
    }

    /// Lines for a turn, or for nobody in particular.
    pub(crate) fn lines(&self, turn: Option<TurnId>, items: impl IntoIterator<Item = LineItem>) {
        self.lock().push(turn, items);
    }

    /// The line that ends these turns, of which `own` is the one that the CLI had.
    pub(crate) fn result(&self, turns: &[TurnId], own: Option<&Own>, item: &LineItem) {
        let mut waiting = self.lock();
        if turns.is_empty() || waiting.streams.contains_key(&Stream::All) {
            waiting.push(None, [item.clone()]);
        }
        for turn in turns {
            let own = own.filter(|own| own.turn != *turn);
            let merged = own.map(|own| own.prompt.as_str().into());
            waiting.finish(Stream::Turn(*turn), Last::Result(item.clone(), merged));
        }
    }

    /// A stream is over without its result.
    pub(crate) fn lost(&self, stream: Stream) {
        self.lock().finish(stream, Last::Lost);
    }

    /// Nothing more comes. The first reason counts. `complete` says that the stream of all lines
    /// has what it should have.
    pub(crate) fn end(&self, end: Error, complete: bool) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert((end, complete));
        for queue in waiting.streams.values_mut() {
            queue.wake();
        }
    }

    /// Why nothing more comes, if nothing does.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.lock().end.as_ref().map(|(end, _)| end.clone())
    }

    /// How many bytes wait.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Whether somebody waits for a line that only reading on can bring.
    pub(crate) fn is_awaited(&self) -> bool {
        self.lock().streams.values().any(Queue::is_awaited)
    }

    /// There is no room for more lines, so that none can come for those who wait for one.
    pub(crate) fn backlogged(&self) {
        for queue in self.lock().streams.values_mut() {
            if queue.is_awaited() {
                queue.last = Some(Last::Backlogged);
                queue.wake();
            }
        }
    }

    /// How many lines nobody could read, those not counted that still wait for somebody.
    pub(crate) fn skipped(&self) -> u64 {
        self.lock().skipped
    }
}

impl Waiting {
    fn push(&mut self, turn: Option<TurnId>, items: impl IntoIterator<Item = LineItem>) {
        let turn = turn.map(Stream::Turn);
        let stream = [Some(Stream::All), turn].into_iter().flatten();
        let reader = stream
            .into_iter()
            .find(|stream| self.streams.contains_key(stream));
        let queue = reader.and_then(|stream| self.streams.get_mut(&stream));
        match queue {
            Some(queue) if queue.result_only => {}
            Some(queue) if queue.last.is_none() => {
                for item in items {
                    self.bytes += weight(&item);
                    let behind = queue.lines.len() >= BACKLOG;
                    queue
                        .lines
                        .push_back(if behind { detached(item) } else { item });
                }
                queue.wake();
            }
            _ => items.into_iter().for_each(|item| self.keep(item)),
        }
    }

    /// Keeps a line that has no reader, and lets go of older ones.
    fn keep(&mut self, item: LineItem) {
        self.ring_bytes += weight(&item);
        self.ring.push_back(detached(item));
        while self.ring_bytes > RING {
            let Some(oldest) = self.ring.pop_front() else {
                break;
            };
            self.ring_bytes -= weight(&oldest);
            self.skipped += 1;
        }
    }

    fn finish(&mut self, stream: Stream, last: Last) {
        if let Some(queue) = self.streams.get_mut(&stream) {
            if queue.last.is_none() {
                self.bytes += last.weight();
                queue.last = Some(last);
            }
            queue.wake();
        }
    }
}

impl Last {
    fn weight(&self) -> usize {
        match self {
            Self::Result(item, _) => weight(item),
            Self::Lost | Self::Backlogged | Self::Nothing => 0,
        }
    }
}

impl Queue {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Whether its reader has come for a line, and there is none.
    fn is_awaited(&self) -> bool {
        self.waker.is_some() && self.lines.is_empty() && self.last.is_none()
    }

    fn weight(&self) -> usize {
        self.lines.iter().map(weight).sum()
    }
}

/// The line without the buffer that it was read into, if that may be much longer.
fn detached(item: LineItem) -> LineItem {
    match item {
        LineItem::Line(line) if line.raw.len() < SHORT => LineItem::Line(line.detach()),
        item => item,
    }
}

/// How many bytes a line counts for.
pub(crate) fn weight(item: &LineItem) -> usize {
    let bytes = match item {
        LineItem::Line(line) => line.raw.len(),
        LineItem::TooLong(long) => long.head.len() + long.tail.len(),
        _ => 0,
    };
    bytes + OVERHEAD
}

/// A line that was taken out.
enum Taken {
    Line(LineItem),
    /// The last one of a turn.
    Result(LineItem),
}

/// The one who takes the lines of a stream.
///
/// Dropping it frees what waits; what comes after that has no reader.
pub(crate) struct Reader {
    inbox: Arc<Inbox>,
    stream: Stream,
    /// Lines that it has taken, and that come first.
    held: VecDeque<LineItem>,
    merged_into: Option<MessageUuid>,
}

impl Reader {
    /// The next line, decoded. An error is the end.
    pub(crate) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<FrameItem<Message>, Error>>> {
        if let Some(held) = self.held.pop_front() {
            return Poll::Ready(Some(Ok(held.into())));
        }
        let next = ready!(self.poll_line(cx)).map(|taken| match taken? {
            Taken::Line(item) => Ok(item.into()),
            // A turn whose result cannot be read has none.
            Taken::Result(item) => match item.into() {
                FrameItem::Malformed(bad) => {
                    Err(Cause::Unreadable(Unreadable::Malformed(bad)).into())
                }
                FrameItem::TooLong(long) => {
                    Err(Cause::Unreadable(Unreadable::TooLong(long)).into())
                }
                result @ FrameItem::Frame(_) => Ok(result),
            },
        });
        Poll::Ready(next)
    }

    /// The next of the lines that wait; some that stand behind it are held then.
    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Taken, Error>>> {
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
        if let Some(first) = queue.lines.pop_front() {
            let mut taken = weight(&first);
            while taken < HELD
                && let Some(item) = queue.lines.pop_front()
            {
                taken += weight(&item);
                self.held.push_back(item);
            }
            *bytes -= taken;
            self.inbox.room.notify_one();
            return Poll::Ready(Some(Ok(Taken::Line(first))));
        }
        let last = match queue.last.replace(Last::Nothing) {
            Some(Last::Result(item, merged_into)) => {
                *bytes -= weight(&item);
                self.inbox.room.notify_one();
                self.merged_into = merged_into;
                Some(Ok(Taken::Result(item)))
            }
            Some(Last::Lost) => Some(Err(Cause::ResultLost.into())),
            Some(Last::Backlogged) => Some(Err(Cause::Backlogged.into())),
            Some(Last::Nothing) => None,
            None => {
                let Some((end, complete)) = end else {
                    queue.last = None;
                    queue.waker = Some(cx.waker().clone());
                    self.inbox.room.notify_one();
                    return Poll::Pending;
                };
                // A turn without its result is never complete.
                let complete = *complete && self.stream == Stream::All;
                (!complete).then(|| Err(end.clone()))
            }
        };
        Poll::Ready(last)
    }

    /// The prompt whose turn the result was that was read, if it was another one's.
    pub(crate) fn merged_into(&self) -> Option<&MessageUuid> {
        self.merged_into.as_ref()
    }

    /// Lets go of the lines that wait, and of those to come, but for the result.
    pub(crate) fn result_only(&mut self) {
        self.held = VecDeque::new();
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
            let last = queue.last.as_ref().map_or(0, Last::weight);
            waiting.bytes -= queue.weight() + last;
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
