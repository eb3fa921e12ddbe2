//! Converts the events of a conversation to operations on the page.

use std::collections::HashMap;

use std::sync::Arc;

use claw_types::escape;
use claw_view::Change;
use claw_view::element::{Content, Element, ElementId};
use claw_view::html::{GrowingMarkdown, Html, id};
use serde_json::{Value, json};

use super::may::May;
use super::requests;
use super::window::{Window, card_of};
use crate::changes::Place;
use crate::conversation::{Event, EventKind, Pending};
use crate::hub::{Everything, FirstState};

/// Creates the events that update the page of one viewer. Stores only the texts that are not complete yet.
///
/// [`Fragments::begin`] and [`Fragments::take`] process what the viewer receives. [`Fragments::flush`] creates an
/// update of the page. Each operation of an update contains the number of the event from which it was made. The page
/// also fetches elements with separate requests. It skips the operations whose events these elements already include.
#[derive(Debug)]
pub(super) struct Fragments {
    may: May,
    /// The project of the session.
    files: Place,
    growing: HashMap<ElementId, Growing>,
    /// The operations that are not sent yet.
    operations: Vec<Value>,
}

#[derive(Debug, Default)]
struct Growing {
    text: GrowingMarkdown,
    /// The number of the newest event whose text is not sent yet.
    changed: Option<u64>,
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
    /// Creates an event that the page receives in the same form as viewers: `state`, `progress`, `answered`, `ping` or
    /// `closed`.
    pub(super) fn of(name: &'static str, data: &Value) -> Self {
        Self {
            name,
            data: data.to_string(),
        }
    }

    /// Returns the event as text. The JSON data contains no line breaks.
    pub(super) fn text(&self) -> String {
        format!("event: {}\ndata: {}\n\n", self.name, self.data)
    }
}

/// Returns the first state, which all viewers with the same role receive, as the text of server-sent events. The state
/// contains the waiting requests. Also returns the elements whose texts are not complete yet.
pub(super) fn first(
    everything: &Everything,
    may: &May,
    files: &Place,
) -> (String, Vec<Arc<Element>>) {
    let moment = &everything.moment;
    let reset = json!([{"op": "reset", "window": Window::newest(moment)}]);
    let forms: Vec<_> = everything
        .requests
        .iter()
        .map(|it| request(it, may, files))
        .collect();
    let events = [
        PageEvent::of("moved", &json!({"session": everything.session})),
        PageEvent::of("page", &reset),
        PageEvent::of("requests", &Value::from(forms)),
        PageEvent::of("state", &json!(everything.state)),
    ];
    let growing = moment.elements.iter().filter(|it| is_growing(it)).cloned();
    (
        events.iter().map(PageEvent::text).collect(),
        growing.collect(),
    )
}

impl Fragments {
    pub(super) fn new(may: May, files: Place) -> Self {
        Self {
            may,
            files,
            growing: HashMap::new(),
            operations: Vec::new(),
        }
    }

    /// Starts from a new first state. The page replaces its contents by this state.
    pub(super) fn begin(&mut self, first: &FirstState) {
        self.growing.clear();
        self.operations.clear();
        for element in &first.growing {
            self.remember_growing(element);
        }
    }

    /// Returns whether the processing of these events may take long. It may take long if a file must be read for a
    /// request, or if completed code is highlighted.
    pub(super) fn are_heavy(&self, events: &[Event]) -> bool {
        let has_fence = |data: &str| data.contains("``") || data.contains("~~");
        let has_code = |event: &Event| event.kind == EventKind::Change && has_fence(&event.data);
        let mut growing = self.growing.values();
        events.iter().any(|it| it.kind == EventKind::Request)
            || cfg!(feature = "highlight")
                && (growing.any(|it| it.text.is_in_code()) || events.iter().any(has_code))
    }

    /// Processes events. Collects the changes of elements until [`Fragments::flush`] is called.
    pub(super) fn take(&mut self, events: &[Event]) -> Vec<PageEvent> {
        let mut all = Vec::new();
        for event in events {
            match self.event(event, &mut all) {
                Ok(()) => {}
                Err(error) => unread(&error),
            }
        }
        all
    }

    fn event(&mut self, event: &Event, all: &mut Vec<PageEvent>) -> serde_json::Result<()> {
        let name = event.kind.as_str();
        match event.kind {
            EventKind::Change => self.change(event.number, &serde_json::from_str(&event.data)?),
            EventKind::Wrapper => {}
            // The page must show earlier changes before the request, so they are sent first.
            EventKind::Request => {
                let pending = serde_json::from_str(&event.data)?;
                all.extend(self.flush());
                all.push(PageEvent::of(
                    name,
                    &request(&pending, &self.may, &self.files),
                ));
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

    /// Collects a change of the elements until [`Fragments::flush`] is called.
    fn change(&mut self, n: u64, change: &Change) {
        match change {
            Change::Added(element) => self.put("add", n, element),
            Change::Updated(element) => self.put("replace", n, element),
            Change::Grew(growth) => {
                if let Some(growing) = self.growing.get_mut(&growth.id) {
                    growing.text.push(&growth.text);
                    growing.changed = Some(n);
                } else {
                    let (id, text) = (id(&growth.id), escape(&growth.text));
                    self.operations
                        .push(json!({"op": "text", "n": n, "id": id, "text": text}));
                }
            }
            Change::Elapsed(elapsed) => {
                let (id, seconds) = (id(&elapsed.id), elapsed.seconds);
                self.operations
                    .push(json!({"op": "elapsed", "n": n, "id": id, "seconds": seconds}));
            }
            Change::Removed(gone) => {
                self.growing.remove(gone);
                self.operations
                    .push(json!({"op": "remove", "n": n, "id": id(gone)}));
            }
            _ => {}
        }
    }

    /// Returns the collected changes as one event. The last block of a text that still grows is rendered here, once for
    /// all collected changes.
    pub(super) fn flush(&mut self) -> Option<PageEvent> {
        let mut operations = std::mem::take(&mut self.operations);
        for (element, growing) in &mut self.growing {
            if let Some(n) = growing.changed.take() {
                let update = growing.text.update();
                operations.push(json!({
                    "op": "blocks", "n": n, "id": id(element), "keep": update.keep,
                    "html": update.blocks.concat()
                }));
            }
        }
        (!operations.is_empty()).then(|| PageEvent::of("page", &Value::from(operations)))
    }

    fn put(&mut self, operation: &str, n: u64, element: &Element) {
        // The text of this element still grows. `flush` sends it as blocks.
        if self.growing.contains_key(&element.id) && is_growing(element) {
            return;
        }
        let html = Html::fragment(|html| html.element(element));
        let id = id(&element.id);
        let mut drawn = json!({"op": operation, "n": n, "id": id, "html": html});
        if let Some(agent) = &element.parent {
            drawn["card"] = card_of(agent).into();
        }
        // If a task changes several times between two updates, only the newest change is sent.
        let is_task = matches!(element.content, Content::Subagent(_) | Content::Task(_));
        let mut sent = self.operations.iter_mut().rev();
        let older = (is_task && operation == "replace")
            .then(|| sent.find(|it| it["id"] == drawn["id"] && it["op"] == operation));
        match older.flatten() {
            Some(older) => *older = drawn,
            None => self.operations.push(drawn),
        }
        self.growing.remove(&element.id);
        self.remember_growing(element);
    }

    /// Remembers an element if its text is not complete yet.
    fn remember_growing(&mut self, element: &Element) {
        if let Content::AssistantText(text) = &element.content
            && text.streaming
        {
            let mut growing = Growing::default();
            growing.text.push(&text.text);
            // The first state already contains these blocks, so they are not sent again.
            growing.text.update();
            self.growing.insert(element.id.clone(), growing);
        }
    }
}

fn is_growing(element: &Element) -> bool {
    matches!(&element.content, Content::AssistantText(text) if text.streaming)
}

/// Returns a request in the form that the page needs. `files` is the project of the session.
pub(super) fn request(pending: &Pending, may: &May, files: &Place) -> Value {
    json!({"id": pending.id, "html": requests::form(pending, may, files)})
}

/// Logs that an event cannot be parsed. This cannot happen, because the conversation itself has written the event.
fn unread(error: &serde_json::Error) {
    tracing::error!("an event of a conversation cannot be read: {error}");
}
