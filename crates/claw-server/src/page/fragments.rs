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
use crate::conversation::{Event, EventKind, Pending};
use crate::hub::{Everything, FirstState};

/// Makes the events that keep one viewer's page up to date. Holds only the texts that still grow.
///
/// [`Fragments::begin`] and [`Fragments::take`] process what the viewer receives, and [`Fragments::flush`] makes an
/// update of the page. Each operation contains the number of its event: the page also fetches elements, and skips
/// operations that the fetched elements already contain.
#[derive(Debug)]
pub(super) struct Fragments {
    may: May,
    growing: HashMap<ElementId, Growing>,
    /// The operations that were not sent yet.
    operations: Vec<Value>,
}

#[derive(Debug, Default)]
struct Growing {
    text: GrowingMarkdown,
    /// The number of the newest event that was not sent yet.
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
    /// An event that the page receives in the same form as viewers do: `state`, `progress`, `answered`, `ping` or
    /// `closed`.
    pub(super) fn of(name: &'static str, data: &Value) -> Self {
        Self {
            name,
            data: data.to_string(),
        }
    }

    /// The event as text. The JSON data has no line breaks.
    pub(super) fn text(&self) -> String {
        format!("event: {}\ndata: {}\n\n", self.name, self.data)
    }
}

/// The first state that all viewers of a role receive, as text of server-sent events, and the elements in it that still grow. It
/// contains the requests that wait for an answer.
pub(super) fn first(everything: &Everything, may: &May) -> (String, Vec<Arc<Element>>) {
    let moment = &everything.moment;
    let reset = json!([{"op": "reset", "window": Window::newest(moment)}]);
    let forms: Vec<_> = everything
        .requests
        .iter()
        .map(|it| request(it, may))
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
    pub(super) fn new(may: May) -> Self {
        Self {
            may,
            growing: HashMap::new(),
            operations: Vec::new(),
        }
    }

    /// Starts again from a first state, with which the page replaces its contents.
    pub(super) fn begin(&mut self, first: &FirstState) {
        self.growing.clear();
        self.operations.clear();
        for element in &first.growing {
            self.remember_growing(element);
        }
    }

    /// Whether processing these events may take long: a file is read for a request, and completed code is highlighted.
    pub(super) fn are_heavy(&self, events: &[Event]) -> bool {
        let has_fence = |data: &str| data.contains("``") || data.contains("~~");
        let has_code = |event: &Event| event.kind == EventKind::Change && has_fence(&event.data);
        let mut growing = self.growing.values();
        events.iter().any(|it| it.kind == EventKind::Request)
            || cfg!(feature = "highlight")
                && (growing.any(|it| it.text.is_in_code()) || events.iter().any(has_code))
    }

    /// Processes events. Changes of elements are collected until [`Fragments::flush`].
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
            // Earlier changes must be shown before the request.
            EventKind::Request => {
                let pending = serde_json::from_str(&event.data)?;
                all.extend(self.flush());
                all.push(PageEvent::of(name, &request(&pending, &self.may)));
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

    /// Collects a change of the elements until [`Fragments::flush`].
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

    /// The collected changes, as one event. The open block of a growing text is rendered only once.
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
        // A growing text is sent as blocks.
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

    /// Adds a text that still grows.
    fn remember_growing(&mut self, element: &Element) {
        if let Content::AssistantText(text) = &element.content
            && text.streaming
        {
            let mut growing = Growing::default();
            growing.text.push(&text.text);
            // The page already has these blocks.
            growing.text.update();
            self.growing.insert(element.id.clone(), growing);
        }
    }
}

fn is_growing(element: &Element) -> bool {
    matches!(&element.content, Content::AssistantText(text) if text.streaming)
}

/// A request in the form that the page needs.
pub(super) fn request(pending: &Pending, may: &May) -> Value {
    json!({"id": pending.id, "html": requests::form(pending, may)})
}

/// Logs an event that cannot be parsed. Does not happen, because the conversation wrote the event.
fn unread(error: &serde_json::Error) {
    tracing::error!("an event of a conversation cannot be read: {error}");
}
