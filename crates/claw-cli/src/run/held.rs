//! The answer, which is printed on stdout, and left out of what is drawn on stderr.

use claw_view::Change;
use claw_view::element::{Content, Element};

/// Holds back the last text of the model, because it may be the answer. When the result has come, the answer is known,
/// and its text is dropped.
#[derive(Default)]
pub(super) struct Held {
    last: Option<Element>,
    answer: Option<String>,
}

impl Held {
    /// Takes a change, and returns the changes to draw now.
    pub(super) fn push(&mut self, change: Change) -> Vec<Change> {
        match change {
            Change::Added(element) if is_main_text(&element) => {
                if self.is_answer(&element) {
                    return Vec::new();
                }
                let before = self.last.replace(*element);
                before.into_iter().map(added).collect()
            }
            Change::Updated(element) if matches!(&self.last, Some(last) if last.id == element.id) =>
            {
                self.last = Some(*element);
                Vec::new()
            }
            Change::Added(element) if element.parent.is_none() => {
                let before = self.last.take();
                let both = before.into_iter().chain([*element]);
                both.map(added).collect()
            }
            Change::Removed(id) if matches!(&self.last, Some(last) if last.id == id) => {
                self.last = None;
                Vec::new()
            }
            other => vec![other],
        }
    }

    /// Takes note of the answer, which is printed elsewhere.
    pub(super) fn answered(&mut self, answer: &str) {
        self.answer = Some(answer.trim().to_owned());
        if matches!(&self.last, Some(last) if self.is_answer(last)) {
            self.last = None;
        }
    }

    /// The text that is still held back, when nothing follows.
    pub(super) fn end(&mut self) -> Option<Change> {
        self.last.take().map(added)
    }

    fn is_answer(&self, element: &Element) -> bool {
        matches!((&element.content, &self.answer), (Content::AssistantText(text), Some(answer)) if text.text.trim() == answer)
    }
}

fn added(element: Element) -> Change {
    Change::Added(Box::new(element))
}

fn is_main_text(element: &Element) -> bool {
    element.parent.is_none() && matches!(element.content, Content::AssistantText(_))
}
