//! A conversation at one moment, for those who show a part of it.

use std::sync::Arc;

use claw_types::ToolUseId;
use claw_view::{Change, Element, Elements};

use super::{Conversation, Event};

/// The elements at one moment. They are shared with the conversation, so that taking them is quick.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// What tells the conversation from an earlier one of the same session.
    pub(crate) epoch: String,
    /// The last event that the elements contain.
    pub(crate) number: u64,
    /// All elements, in order.
    pub(crate) elements: Vec<Arc<Element>>,
}

impl Moment {
    /// The elements of the main conversation, or those of one sub-agent. A sub-agent's own card is an element of whoever
    /// started it.
    pub(crate) fn of_agent(mut self, agent: Option<&ToolUseId>) -> Self {
        self.elements
            .retain(|element| element.parent.as_ref() == agent);
        self
    }
}

/// Where a conversation was when something was made of it.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    /// The last event by then.
    pub(crate) number: u64,
    session: String,
    /// How much had been written to the log, in bytes.
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

    /// Whether something of this length, made here, is as good as new: the log has what follows, which is not longer. It
    /// names the session, so it must be the same.
    pub(crate) fn is_near(&self, position: &Position, length: usize) -> bool {
        position.session == self.session.as_str()
            && self.log.written() - position.written <= length as u64
            && self.log.after(position.number, 0).is_some()
    }

    /// The events after this one, at most so many. `None` if some of them are gone, or nothing is known to the viewer.
    pub(crate) fn events_after(&self, after: Option<u64>, most: usize) -> Option<Vec<Event>> {
        after.and_then(|after| self.log.after(after, most))
    }
}

/// A change, named by what it is to all elements: who has only some of them knows by it whether an element is new, and
/// stands behind all others.
pub(super) fn named(change: Change, elements: &Elements) -> Change {
    match change {
        Change::Added(element) if elements.get(&element.id).is_some() => Change::Updated(element),
        Change::Updated(element) if elements.get(&element.id).is_none() => Change::Added(element),
        change => change,
    }
}
