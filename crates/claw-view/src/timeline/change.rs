//! Changes of elements, and the list of elements that results.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::element::{Content, Element, ElementId};

/// A change to the elements that are shown: an element is added, changed or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", content = "value", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Change {
    /// A new element, which is shown after all others.
    Added(Box<Element>),
    /// The new state of an existing element.
    Updated(Box<Element>),
    /// Text that is appended to an element of kind assistantText or thinking while the text streams. This change
    /// carries only the appended piece, so the whole text need not be sent again.
    Grew(Growth),
    /// The new run time of a tool that is still running. This change carries only the time, so the whole element need
    /// not be sent again.
    Elapsed(Elapsed),
    /// The ID of a removed element. The model's response that contained it was retracted or replaced.
    Removed(ElementId),
}

/// A text to append to the text of an element.
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
    /// The ID of the element, which is of kind toolCall.
    pub id: ElementId,
    /// The new run time, in seconds. It becomes the `elapsedSeconds` of the element.
    pub seconds: f64,
}

/// All elements of a timeline, in order. Apply each change that the timeline returns to this list.
///
/// The elements are reference-counted, so [`Elements::shared`] copies no elements.
#[derive(Debug, Clone, Default)]
pub struct Elements {
    elements: Vec<Option<Arc<Element>>>,
    places: HashMap<ElementId, usize>,
}

impl Elements {
    /// Applies a change. If an update is for an unknown element, the element is added. Any other change of an unknown
    /// element is ignored.
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

    /// Returns the element with this ID, so that it can be changed. If there are other references to the element, it is
    /// copied first.
    fn changing(&mut self, id: &ElementId) -> Option<&mut Element> {
        let at = *self.places.get(id)?;
        self.elements[at].as_mut().map(Arc::make_mut)
    }

    /// Returns the elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.elements.iter().flatten().map(Arc::as_ref)
    }

    /// Returns the elements in order, as references to [`Arc`]s. If you clone an [`Arc`], the clone is not affected by
    /// later changes.
    pub fn shared(&self) -> impl DoubleEndedIterator<Item = &Arc<Element>> {
        self.elements.iter().flatten()
    }

    /// Returns the element with this ID.
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

/// Returns the text of an element if the element can grow while it streams.
pub(super) fn growing(content: &mut Content) -> Option<&mut String> {
    match content {
        Content::AssistantText(text) => Some(&mut text.text),
        Content::Thinking(thinking) => Some(&mut thinking.text),
        _ => None,
    }
}
