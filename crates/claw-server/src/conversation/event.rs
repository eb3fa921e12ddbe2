//! The events of a conversation, numbered, in a log of limited size.

use std::collections::VecDeque;
use std::sync::Arc;

/// The kind of an event. In server-sent events, it is the field `event:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A change to the conversation's elements. The data is a [`Change`](claw_view::Change).
    Change,
    /// A request that waits for an answer. The data is a [`Pending`](super::Pending).
    Request,
    /// A request that was answered. The data is an [`Answered`](super::Answered).
    Answered,
    /// The new state of the conversation. The data is a [`State`](super::State).
    State,
    /// Progress of running work. The data is a [`Progress`](claw_view::progress::Progress).
    Progress,
    /// A message for viewers over the WebSocket. Other viewers do not get this event. The data is a
    /// [`WrapperMessage`](claw_view::wrapper::WrapperMessage).
    Wrapper,
    /// The conversation continues under another ID. The data is a [`Moved`](super::Moved).
    Moved,
    /// The session was closed. No further event follows.
    Closed,
}

impl EventKind {
    /// Returns the name of the kind in server-sent events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Request => "request",
            Self::Answered => "answered",
            Self::State => "state",
            Self::Progress => "progress",
            Self::Wrapper => "wrapper",
            Self::Moved => "moved",
            Self::Closed => "closed",
        }
    }
}

/// An event of a conversation. Its data is serialized once, and all viewers share that text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The number of the event. The events of a conversation are numbered from 1 in their order.
    pub number: u64,
    /// The kind of the event.
    pub kind: EventKind,
    /// The data of the event: JSON without line breaks.
    pub data: Arc<str>,
}

/// The newest events. The total size of the events is limited.
#[derive(Debug)]
pub(super) struct Log {
    events: VecDeque<Event>,
    bytes: usize,
    most: usize,
    newest: u64,
    /// The size of all events that were ever written, in bytes.
    written: u64,
}

/// The memory that an event needs besides its text, in bytes.
const OVERHEAD: usize = 64;

impl Log {
    pub(super) fn new(most: usize) -> Self {
        Self {
            events: VecDeque::new(),
            bytes: 0,
            most,
            newest: 0,
            written: 0,
        }
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    pub(super) fn push(&mut self, kind: EventKind, data: String) {
        self.newest += 1;
        self.bytes += data.len() + OVERHEAD;
        self.written += (data.len() + OVERHEAD) as u64;
        self.events.push_back(Event {
            number: self.newest,
            kind,
            data: data.into(),
        });
        while self.bytes > self.most
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= oldest.data.len() + OVERHEAD;
        }
    }

    /// Returns the first `most` events after the event with this number. Returns `None` if the log no longer contains
    /// all events after it, or if no event has this number yet.
    pub(super) fn after(&self, number: u64, most: usize) -> Option<Vec<Event>> {
        if number > self.newest {
            return None;
        }
        let oldest = self
            .events
            .front()
            .map_or(self.newest + 1, |event| event.number);
        let skip = usize::try_from((number + 1).checked_sub(oldest)?).ok()?;
        Some(self.events.iter().skip(skip).take(most).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_events_make_room_and_a_number_that_is_gone_is_reported_as_gone() {
        let mut log = Log::new(3 * (OVERHEAD + 1));
        assert_eq!(log.after(0, 9), Some(Vec::new()));
        for letter in ["a", "b", "c", "d"] {
            log.push(EventKind::Change, letter.to_owned());
        }
        assert_eq!(log.after(0, 9), None);
        let numbers = |after, most| {
            let events = log.after(after, most).unwrap();
            events.iter().map(|event| event.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1, 9), [2, 3, 4]);
        assert_eq!(numbers(1, 2), [2, 3]);
        assert_eq!(numbers(4, 9), [0; 0]);
        assert_eq!(log.after(5, 9), None);
    }

    #[test]
    fn an_event_above_the_bound_is_numbered_and_not_kept() {
        let mut log = Log::new(OVERHEAD);
        log.push(EventKind::Change, "too long".to_owned());
        assert_eq!((log.newest(), log.bytes), (1, 0));
        assert_eq!(log.after(0, 9), None);
        assert_eq!(log.after(1, 9), Some(Vec::new()));
    }
}
