//! Changes of elements, and the elements that result.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::element::{Content, Element, ElementId};

/// A change of the elements that are shown: an element is added, changes, or is removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", content = "value", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Change {
    /// A new element, after all others.
    Added(Box<Element>),
    /// The new state of an existing element.
    Updated(Box<Element>),
    /// Text that is appended to an element: an assistantText or thinking that is streaming. So a text is not sent anew
    /// with each piece.
    Grew(Growth),
    /// The run time of a tool that is still running, without sending its element anew.
    Elapsed(Elapsed),
    /// The ID of an element that was removed, because the response was retracted or replaced.
    Removed(ElementId),
}

/// Text that is appended to an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Growth {
    /// The ID of the element.
    pub id: ElementId,
    /// The appended text.
    pub text: String,
}

/// The run time of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Elapsed {
    /// The ID of the element, a toolCall.
    pub id: ElementId,
    /// The new value of `elapsedSeconds`, in seconds.
    pub seconds: f64,
}

/// All elements in order: the result of the changes.
///
/// An element is shared until it changes: [`Elements::shared`] copies none.
#[derive(Debug, Clone, Default)]
pub struct Elements {
    elements: Vec<Option<Arc<Element>>>,
    places: HashMap<ElementId, usize>,
}

impl Elements {
    /// Applies a change. A change of an unknown element is ignored, except that an updated element is added.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Added(element) | Change::Updated(element) => {
                if let Some(&at) = self.places.get(&element.id) {
                    self.elements[at] = Some(element.into());
                } else {
                    self.places.insert(element.id.clone(), self.elements.len());
                    self.elements.push(Some(element.into()));
                }
            }
            Change::Grew(growth) => {
                let element = self.changing(&growth.id);
                if let Some(text) = element.and_then(|element| growing(&mut element.content)) {
                    text.push_str(&growth.text);
                }
            }
            Change::Elapsed(elapsed) => {
                let element = self.changing(&elapsed.id);
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

    /// The element with this ID, to be changed. It is copied if somebody else has it.
    fn changing(&mut self, id: &ElementId) -> Option<&mut Element> {
        let at = *self.places.get(id)?;
        self.elements[at].as_mut().map(Arc::make_mut)
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.elements.iter().flatten().map(Arc::as_ref)
    }

    /// The elements in order, each as it is now, to be kept while others change.
    pub fn shared(&self) -> impl DoubleEndedIterator<Item = &Arc<Element>> {
        self.elements.iter().flatten()
    }

    /// The element with this ID.
    pub fn get(&self, id: &ElementId) -> Option<&Element> {
        self.places
            .get(id)
            .and_then(|&at| self.elements[at].as_deref())
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no elements.
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

/// The text of an element that can grow.
pub(super) fn growing(content: &mut Content) -> Option<&mut String> {
    match content {
        Content::AssistantText(text) => Some(&mut text.text),
        Content::Thinking(thinking) => Some(&mut thinking.text),
        _ => None,
    }
}
