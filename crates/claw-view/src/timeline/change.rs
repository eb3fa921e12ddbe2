//! What changes, and what comes of it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::element::{Content, Element, ElementId};

/// What changes for something that happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", content = "value", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Change {
    /// A new element, behind all others.
    Added(Box<Element>),
    /// An element that is there is now this one.
    Updated(Box<Element>),
    /// The text of an element goes on. Only of assistantText and thinking, while they stream: a text of
    /// a thousand pieces is not sent a thousand times.
    Grew(Growth),
    /// A tool still runs, and no more than that is new. What it was given may be long, and is not sent
    /// again with each sign of life.
    Elapsed(Elapsed),
    /// An element is taken away: the model's answer was taken back, or another one takes its place.
    Removed(ElementId),
}

/// How a text goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Growth {
    /// The element.
    pub id: ElementId,
    /// What stands behind the text that it had.
    pub text: String,
}

/// For how long a tool has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Elapsed {
    /// The element, a toolCall.
    pub id: ElementId,
    /// Its `elapsedSeconds`.
    pub seconds: f64,
}

/// All elements, in order: what comes of the changes.
#[derive(Debug, Clone, Default)]
pub struct Elements {
    elements: Vec<Option<Element>>,
    places: HashMap<ElementId, usize>,
}

impl Elements {
    /// Takes a change in. One that speaks of an element that is not there changes nothing, but an
    /// element that was updated is then new.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Added(element) | Change::Updated(element) => {
                if let Some(&at) = self.places.get(&element.id) {
                    self.elements[at] = Some(*element);
                } else {
                    self.places.insert(element.id.clone(), self.elements.len());
                    self.elements.push(Some(*element));
                }
            }
            Change::Grew(growth) => {
                let at = self.places.get(&growth.id);
                let element = at.and_then(|&at| self.elements[at].as_mut());
                if let Some(text) = element.and_then(|element| growing(&mut element.content)) {
                    text.push_str(&growth.text);
                }
            }
            Change::Elapsed(elapsed) => {
                let at = self.places.get(&elapsed.id);
                let element = at.and_then(|&at| self.elements[at].as_mut());
                if let Some(Content::ToolCall(call)) = element.map(|element| &mut element.content) {
                    call.elapsed_seconds = Some(elapsed.seconds);
                }
            }
            Change::Removed(id) => {
                if let Some(at) = self.places.remove(&id) {
                    self.elements[at] = None;
                }
            }
        }
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.elements.iter().flatten()
    }

    /// The element of that id.
    pub fn get(&self, id: &ElementId) -> Option<&Element> {
        self.places
            .get(id)
            .and_then(|&at| self.elements[at].as_ref())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

impl Extend<Change> for Elements {
    fn extend<T: IntoIterator<Item = Change>>(&mut self, changes: T) {
        for change in changes {
            self.apply(change);
        }
    }
}

/// The text that grows.
pub(super) fn growing(content: &mut Content) -> Option<&mut String> {
    match content {
        Content::AssistantText(text) => Some(&mut text.text),
        Content::Thinking(thinking) => Some(&mut thinking.text),
        _ => None,
    }
}
