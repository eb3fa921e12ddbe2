//! What happens in a conversation, as what changes on the page.

use std::collections::HashMap;

use claw_types::escape;
use claw_view::Change;
use claw_view::element::{Content, Element, ElementId};
use claw_view::html::{GrowingMarkdown, Html, id};
use serde::Deserialize;
use serde_json::{Value, json};

use super::requests;
use crate::conversation::{Event, EventKind, Next, Pending};

/// Makes the events that keep one viewer's page up to date. It holds the texts that grow, and nothing that is settled.
///
/// [`Fragments::take`] is for whatever the viewer is given, [`Fragments::flush`] for each update of the page.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    growing: HashMap<ElementId, Growing>,
    /// The operations that were not sent.
    operations: Vec<Value>,
}

#[derive(Debug, Default)]
struct Growing {
    text: GrowingMarkdown,
    is_changed: bool,
}

/// A server-sent event for the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageEvent {
    /// The name of the event.
    pub(super) name: &'static str,
    /// The data, as JSON on one line.
    pub(super) data: String,
}

impl PageEvent {
    /// An event that the page takes as viewers get it: `state`, `progress`, `answered`, `ping` or `closed`.
    pub(super) fn of(name: &'static str, data: &Value) -> Self {
        Self {
            name,
            data: data.to_string(),
        }
    }

    /// The event as it is written. JSON has no line breaks.
    pub(super) fn text(&self) -> String {
        format!("event: {}\ndata: {}\n\n", self.name, self.data)
    }
}

/// What [`Snapshot`](crate::Snapshot) writes.
#[derive(Deserialize)]
struct SnapshotData {
    session: String,
    elements: Vec<Element>,
    requests: Vec<Pending>,
    state: Value,
}

impl Fragments {
    /// Takes what a viewer is given. What changes the elements waits for [`Fragments::flush`].
    pub(super) fn take(&mut self, next: Next) -> Vec<PageEvent> {
        let mut all = Vec::new();
        match next {
            Next::Reset(_, data) => match serde_json::from_str(&data) {
                Ok(everything) => all = self.reset(&everything),
                Err(error) => unread(&error),
            },
            Next::Events(events) => {
                for event in events {
                    match self.event(&event, &mut all) {
                        Ok(()) => {}
                        Err(error) => unread(&error),
                    }
                }
            }
        }
        all
    }

    fn event(&mut self, event: &Event, all: &mut Vec<PageEvent>) -> serde_json::Result<()> {
        let name = event.kind.as_str();
        match event.kind {
            EventKind::Change => self.change(&serde_json::from_str(&event.data)?),
            EventKind::Wrapper => {}
            // What happened before is shown before.
            EventKind::Request => {
                let pending = serde_json::from_str(&event.data)?;
                all.extend(self.flush());
                all.push(PageEvent::of(name, &request(&pending)));
            }
            EventKind::Moved
            | EventKind::Answered
            | EventKind::State
            | EventKind::Progress
            | EventKind::Closed => {
                all.extend(self.flush());
                all.push(PageEvent {
                    name,
                    data: event.data.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Everything that there is: the page is drawn anew. The requests are those that wait for an answer.
    fn reset(&mut self, everything: &SnapshotData) -> Vec<PageEvent> {
        self.growing.clear();
        self.operations.clear();
        let elements = &everything.elements;
        let html = Html::fragment(|html| {
            elements
                .iter()
                .try_for_each(|element| html.element(element))
        });
        for element in elements {
            self.remember_growing(element);
        }
        let forms: Vec<_> = everything.requests.iter().map(request).collect();
        vec![
            PageEvent::of("moved", &json!({"session": everything.session})),
            PageEvent::of("page", &json!([{"op": "reset", "html": html}])),
            PageEvent::of("requests", &Value::from(forms)),
            PageEvent::of("state", &everything.state),
        ]
    }

    /// A change of the elements. What is sent of it waits for [`Fragments::flush`].
    fn change(&mut self, change: &Change) {
        match change {
            Change::Added(element) => self.put("add", element),
            Change::Updated(element) => self.put("replace", element),
            Change::Grew(growth) => {
                if let Some(growing) = self.growing.get_mut(&growth.id) {
                    growing.text.push(&growth.text);
                    growing.is_changed = true;
                } else {
                    self.operations.push(
                        json!({"op": "text", "id": id(&growth.id), "text": escape(&growth.text)}),
                    );
                }
            }
            Change::Elapsed(elapsed) => self
                .operations
                .push(json!({"op": "elapsed", "id": id(&elapsed.id), "seconds": elapsed.seconds})),
            Change::Removed(gone) => {
                self.growing.remove(gone);
                self.operations
                    .push(json!({"op": "remove", "id": id(gone)}));
            }
            _ => {}
        }
    }

    /// What has changed since, in one event. However often a text grew, its open block is rendered once.
    pub(super) fn flush(&mut self) -> Option<PageEvent> {
        let mut operations = std::mem::take(&mut self.operations);
        for (element, growing) in &mut self.growing {
            if std::mem::take(&mut growing.is_changed) {
                let update = growing.text.update();
                operations.push(json!({
                    "op": "blocks", "id": id(element), "keep": update.keep, "html": update.blocks.concat()
                }));
            }
        }
        (!operations.is_empty()).then(|| PageEvent::of("page", &Value::from(operations)))
    }

    fn put(&mut self, operation: &str, element: &Element) {
        // A growing text comes as blocks.
        if self.growing.contains_key(&element.id) && is_growing(element) {
            return;
        }
        let html = Html::fragment(|html| html.element(element));
        let id = id(&element.id);
        self.operations
            .push(json!({"op": operation, "id": id, "html": html}));
        self.growing.remove(&element.id);
        self.remember_growing(element);
    }

    /// Remembers a text that grows.
    fn remember_growing(&mut self, element: &Element) {
        if let Content::AssistantText(text) = &element.content
            && text.streaming
        {
            let mut growing = Growing::default();
            growing.text.push(&text.text);
            // The page has these blocks.
            growing.text.update();
            self.growing.insert(element.id.clone(), growing);
        }
    }
}

fn is_growing(element: &Element) -> bool {
    matches!(&element.content, Content::AssistantText(text) if text.streaming)
}

/// A request as the page needs it.
fn request(pending: &Pending) -> Value {
    json!({"id": pending.id, "html": requests::form(pending)})
}

/// The conversation writes what it reads here, so this does not happen.
fn unread(error: &serde_json::Error) {
    tracing::error!("an event of a conversation cannot be read: {error}");
}
