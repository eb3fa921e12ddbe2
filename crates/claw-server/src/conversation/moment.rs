//! A conversation at one moment, for responses that show a part of it.

use std::sync::Arc;

use claw_types::ToolUseId;
use claw_view::{Change, Element, Elements};

use super::{Conversation, Event};

/// The elements at one moment. They are shared with the conversation, so that they need not be copied.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// Distinguishes the conversation from earlier ones of the same session.
    pub(crate) epoch: String,
    /// The number of the last event that the elements contain.
    pub(crate) number: u64,
    /// All elements, in order.
    pub(crate) elements: Vec<Arc<Element>>,
}

impl Moment {
    /// Returns the elements of the main conversation, or those of one sub-agent. The card of a sub-agent belongs to the
    /// conversation that started the sub-agent.
    pub(crate) fn of_agent(mut self, agent: Option<&ToolUseId>) -> Self {
        self.elements
            .retain(|element| element.parent.as_ref() == agent);
        self
    }
}

/// A position in a conversation's log: the end of the log at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    /// The number of the newest event at that moment.
    pub(crate) number: u64,
    session: String,
    /// The size of all events that had been written to the log, in bytes.
    written: u64,
}

impl Conversation {
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            epoch: self.epoch.clone(),
            number: self.log.newest(),
            elements: self.elements.shared().cloned().collect(),
        }
    }

    pub(crate) fn position(&self) -> Position {
        Position {
            number: self.log.newest(),
            session: self.session.as_str().to_owned(),
            written: self.log.written(),
        }
    }

    /// Whether a text that was created at this position can still be sent. `length` is the length of the text. The log
    /// must contain the events after the position, and these events must not be longer than the text. The text contains
    /// the session's ID, so the ID must not have changed.
    pub(crate) fn is_near(&self, position: &Position, length: usize) -> bool {
        position.session == self.session.as_str()
            && self.log.written() - position.written <= length as u64
            && self.log.after(position.number, 0).is_some()
    }

    /// Returns at most `most` events after the event with the number `after`. Returns `None` if the log no longer
    /// contains all of them, or if `after` is `None`.
    pub(crate) fn events_after(&self, after: Option<u64>, most: usize) -> Option<Vec<Event>> {
        after.and_then(|after| self.log.after(after, most))
    }
}

/// Corrects the kind of a change: it becomes an addition if `elements` does not contain its element, and an update if
/// `elements` contains it. Viewers with only some of the elements need this to know whether an element belongs at the
/// end.
pub(super) fn named(change: Change, elements: &Elements) -> Change {
    match change {
        Change::Added(element) if elements.get(&element.id).is_some() => Change::Updated(element),
        Change::Updated(element) if elements.get(&element.id).is_none() => Change::Added(element),
        change => change,
    }
}
