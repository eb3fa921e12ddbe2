//! Lines that wait for their readers.
//!
//! The driver adds lines, and readers take them; neither waits for the other. Waiting lines are not decoded. A reader
//! decodes each line that it takes.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use claw_codec::{FrameItem, LineItem};
use claw_types::{Message, MessageUuid};
use tokio::sync::Notify;

use crate::engine::{OwnTurn, TurnId};
use crate::outcome::answer::{AnswerLine, FinalAnswer, answer_line};
use crate::outcome::error::{Cause, Error};
use crate::outcome::received::Unreadable;
use crate::outcome::result::TurnResult;

/// The number of bytes that count toward the limit for each line, in addition to its length.
const OVERHEAD: usize = 64;

/// The highest number of bytes of lines without a reader that are stored for a later reader of all lines.
const RING: usize = 1 << 20;

/// The number of waiting lines of one stream from which on a line shorter than `SHORT` is copied. A line that is not
/// copied holds the whole buffer into which it was read, most of which may have belonged to other readers.
const BACKLOG: usize = 256;
const SHORT: usize = 16 << 10;

/// The number of bytes that a reader takes at once. Taken bytes no longer count toward the limit.
const HELD: usize = 16 << 10;

/// The name of a stream of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// All lines of the session.
    All,
    /// The lines of one turn.
    Turn(TurnId),
}

/// All waiting lines of a session.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    /// Notified when there is room again, or when a reader begins to wait.
    pub(crate) room: Notify,
}

#[derive(Default)]
struct Waiting {
    streams: HashMap<Stream, Queue>,
    /// The number of bytes in all streams.
    bytes: usize,
    /// The newest lines for which there was no reader, and the total number of their bytes.
    ring: VecDeque<LineItem>,
    ring_bytes: usize,
    skipped: u64,
    end: Option<(Error, bool)>,
}

/// The lines of one stream.
#[derive(Default)]
struct Queue {
    lines: VecDeque<LineItem>,
    /// The end of the stream, after its last line.
    last: Option<StreamEnd>,
    waker: Option<Waker>,
    /// Whether the reader requests only the result. Then only the lines of the model's last message are stored, because
    /// they contain the whole answer.
    result_only: bool,
    /// The significance of the last stored line for the answer.
    answer: Option<AnswerLine>,
}

/// The end of one stream.
#[derive(Debug)]
enum StreamEnd {
    /// The result. The UUID is set if the CLI answered the stream's prompt in the turn of another prompt. It is the
    /// UUID of that other prompt.
    Result(LineItem, Option<MessageUuid>),
    Lost,
    /// The lines of other streams have filled the buffer.
    Backlogged,
    Nothing,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream. Returns `None` if the stream is already open.
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
            answer: FinalAnswer::default(),
        })
    }

    /// Adds lines for the reader of all lines. If there is none, the lines go to the reader of this turn. Lines without a
    /// reader are stored for a later reader of all lines.
    pub(crate) fn lines(&self, turn: Option<TurnId>, items: impl IntoIterator<Item = LineItem>) {
        self.lock().push(turn, items);
    }

    /// Adds the result of these turns. `own` is the turn that the CLI ran.
    pub(crate) fn result(&self, turns: &[TurnId], own: Option<&OwnTurn>, item: &LineItem) {
        let mut waiting = self.lock();
        if turns.is_empty() || waiting.streams.contains_key(&Stream::All) {
            waiting.push(None, [item.clone()]);
        }
        for turn in turns {
            let own = own.filter(|own| own.turn != *turn);
            let merged = own.map(|own| own.prompt.as_str().into());
            waiting.finish(Stream::Turn(*turn), StreamEnd::Result(item.clone(), merged));
        }
    }

    /// Ends a stream without a result.
    pub(crate) fn end_without_result(&self, stream: Stream) {
        self.lock().finish(stream, StreamEnd::Lost);
    }

    /// Ends all streams. Only the first reason is kept. `complete` says whether the stream of all lines is complete.
    pub(crate) fn end(&self, end: Error, complete: bool) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert((end, complete));
        for queue in waiting.streams.values_mut() {
            queue.wake();
        }
    }

    /// Returns the reason for the end, if the session has ended.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.lock().end.as_ref().map(|(end, _)| end.clone())
    }

    /// Returns the number of waiting bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Whether a reader waits for a line that must still be read from the CLI.
    pub(crate) fn is_awaited(&self) -> bool {
        self.lock().streams.values().any(Queue::is_awaited)
    }

    /// Handles a full inbox. No line can be added, so each reader that waits for a line gets an error.
    pub(crate) fn backlogged(&self) {
        for queue in self.lock().streams.values_mut() {
            if queue.is_awaited() {
                queue.last = Some(StreamEnd::Backlogged);
                queue.wake();
            }
        }
    }

    /// Returns the number of lines without a reader, except those that are kept for a later reader.
    pub(crate) fn skipped(&self) -> u64 {
        self.lock().skipped
    }
}

impl Waiting {
    fn push(&mut self, turn: Option<TurnId>, items: impl IntoIterator<Item = LineItem>) {
        let turn = turn.map(Stream::Turn);
        match turn.and_then(|turn| self.streams.get_mut(&turn)) {
            Some(queue) if queue.result_only && queue.last.is_none() => {
                let items: Vec<_> = items.into_iter().collect();
                for item in &items {
                    let (dropped, kept) = queue.keep_answer(item);
                    self.bytes = self.bytes - dropped + kept;
                }
                self.deliver(turn, items);
            }
            _ => self.deliver(turn, items),
        }
    }

    fn deliver(&mut self, turn: Option<Stream>, items: impl IntoIterator<Item = LineItem>) {
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

    /// Stores a line without a reader, and discards the oldest stored lines if there are too many.
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

    fn finish(&mut self, stream: Stream, last: StreamEnd) {
        if let Some(queue) = self.streams.get_mut(&stream) {
            if queue.last.is_none() {
                self.bytes += last.weight();
                queue.last = Some(last);
            }
            queue.wake();
        }
    }
}

impl StreamEnd {
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

    /// Whether the reader waits and no line is ready.
    fn is_awaited(&self) -> bool {
        self.waker.is_some() && self.lines.is_empty() && self.last.is_none()
    }

    fn weight(&self) -> usize {
        self.lines.iter().map(weight).sum()
    }

    /// Stores a line for a reader that requests only the result, if the line may contain a part of the answer, and
    /// discards the lines of an earlier message. Returns the numbers of bytes that were discarded and stored.
    fn keep_answer(&mut self, item: &LineItem) -> (usize, usize) {
        let Some(line) = answer_line(item) else {
            return (0, 0);
        };
        let continues = match (&self.answer, &line) {
            (Some(AnswerLine::Part(last)), AnswerLine::Part(this)) => last == this,
            (Some(AnswerLine::Resumption | AnswerLine::Compaction), _)
            | (_, AnswerLine::Resumption | AnswerLine::Compaction) => true,
            (None, AnswerLine::Part(_)) => false,
        };
        let mut dropped = 0;
        if !continues {
            dropped = self.weight();
            self.lines.clear();
        }
        self.answer = Some(line);
        self.lines.push_back(detached(item.clone()));
        self.wake();
        (dropped, weight(item))
    }
}

/// Copies the line out of the buffer that it was read into, because the buffer may be much larger.
fn detached(item: LineItem) -> LineItem {
    match item {
        LineItem::Line(line) if line.raw.len() < SHORT => LineItem::Line(line.detach()),
        item => item,
    }
}

/// Returns the number of bytes that count toward the limit for a line.
pub(crate) fn weight(item: &LineItem) -> usize {
    let bytes = match item {
        LineItem::Line(line) => line.raw.len(),
        LineItem::TooLong(long) => long.head.len() + long.tail.len(),
        _ => 0,
    };
    bytes + OVERHEAD
}

/// A line that a reader has taken from its stream.
enum Taken {
    Line(LineItem),
    /// The last line of a turn.
    Result(LineItem),
}

/// The reader of a stream.
///
/// Dropping the reader discards the waiting lines. Later lines have no reader.
pub(crate) struct Reader {
    inbox: Arc<Inbox>,
    stream: Stream,
    /// The lines that this reader has taken. They come before the lines that still wait.
    held: VecDeque<LineItem>,
    merged_into: Option<MessageUuid>,
    /// The answer in the lines that were read so far.
    answer: FinalAnswer,
}

impl Reader {
    /// Returns the next line, decoded. An error ends the stream.
    pub(crate) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<FrameItem<Message>, Error>>> {
        let next = ready!(self.poll_decoded(cx));
        if let Some(Ok(FrameItem::Frame(frame))) = &next {
            self.answer.push(frame.value());
        }
        Poll::Ready(next)
    }

    /// Converts a message to the turn's result if it is one. The text of the result is the whole answer.
    pub(crate) fn result(&mut self, message: Message) -> Option<TurnResult> {
        let is_result = message.is_result();
        is_result
            .then(|| self.answer.result(message).ok())
            .flatten()
    }

    fn poll_decoded(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<FrameItem<Message>, Error>>> {
        if let Some(held) = self.held.pop_front() {
            return Poll::Ready(Some(Ok(held.into())));
        }
        let next = ready!(self.poll_line(cx)).map(|taken| match taken? {
            Taken::Line(item) => Ok(item.into()),
            // A turn whose result line cannot be read has no result.
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

    /// Returns the next waiting line, and takes some of the following lines.
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
        let last = match queue.last.replace(StreamEnd::Nothing) {
            Some(StreamEnd::Result(item, merged_into)) => {
                *bytes -= weight(&item);
                self.inbox.room.notify_one();
                self.merged_into = merged_into;
                Some(Ok(Taken::Result(item)))
            }
            Some(StreamEnd::Lost) => Some(Err(Cause::ResultLost.into())),
            Some(StreamEnd::Backlogged) => Some(Err(Cause::Backlogged.into())),
            Some(StreamEnd::Nothing) => None,
            None => {
                let Some((end, complete)) = end else {
                    queue.last = None;
                    queue.waker = Some(cx.waker().clone());
                    self.inbox.room.notify_one();
                    return Poll::Pending;
                };
                // If the session ends, a turn without a result is not complete, so its reader gets
                // the error.
                let complete = *complete && self.stream == Stream::All;
                (!complete).then(|| Err(end.clone()))
            }
        };
        Poll::Ready(last)
    }

    /// Returns the prompt of the turn that the result belonged to, if it is another prompt.
    pub(crate) fn merged_into(&self) -> Option<&MessageUuid> {
        self.merged_into.as_ref()
    }

    /// Discards waiting and later lines, except the result and the lines that may contain the answer.
    pub(crate) fn result_only(&mut self) {
        let held = std::mem::take(&mut self.held);
        let mut waiting = self.inbox.lock();
        if let Some(queue) = waiting.streams.get_mut(&self.stream)
            && !queue.result_only
        {
            queue.result_only = true;
            let before = queue.weight();
            let lines = std::mem::take(&mut queue.lines);
            for item in held.iter().chain(&lines) {
                queue.keep_answer(item);
            }
            let after = queue.weight();
            waiting.bytes = waiting.bytes - before + after;
        } else {
            self.held = held;
        }
        self.inbox.room.notify_one();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut waiting = self.inbox.lock();
        if let Some(queue) = waiting.streams.remove(&self.stream) {
            let last = queue.last.as_ref().map_or(0, StreamEnd::weight);
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
