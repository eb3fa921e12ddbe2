//! Removes the answer, which is printed on stdout, from the drawing on stderr.

use claw_view::Change;
use claw_view::element::{Content, Element};

/// Holds back the last texts of the model, because they may be the answer. When the result arrives, the texts that form
/// the answer are dropped.
#[derive(Default)]
pub(super) struct Held {
    last: Vec<Element>,
    answer: Option<String>,
}

impl Held {
    /// Processes a change, and returns the changes to draw now.
    pub(super) fn push(&mut self, change: Change) -> Vec<Change> {
        match change {
            Change::Added(element) if is_main_text(&element) => {
                self.last.push(*element);
                if self.drop_answer() {
                    return self.end();
                }
                let most = self.last.len().saturating_sub(MOST);
                self.last.drain(..most).map(added).collect()
            }
            Change::Updated(element) => {
                match self.last.iter_mut().find(|last| last.id == element.id) {
                    Some(last) => *last = *element,
                    None => return vec![Change::Updated(element)],
                }
                Vec::new()
            }
            Change::Added(element) if element.parent.is_none() => {
                let mut changes = self.end();
                changes.push(Change::Added(element));
                changes
            }
            Change::Removed(id) if self.last.iter().any(|last| last.id == id) => {
                self.last.retain(|last| last.id != id);
                Vec::new()
            }
            other => vec![other],
        }
    }

    /// Sets the answer that is printed on stdout.
    pub(super) fn answered(&mut self, answer: &str) {
        self.answer = Some(answer.trim().to_owned());
        self.drop_answer();
    }

    /// Returns the texts that are still held back. Called at the end of the messages.
    pub(super) fn end(&mut self) -> Vec<Change> {
        self.last.drain(..).map(added).collect()
    }

    /// Drops the last texts if they form the answer. Returns whether they do.
    fn drop_answer(&mut self) -> bool {
        let Some(answer) = &self.answer else {
            return false;
        };
        let mut rest = answer.as_str();
        for (at, element) in self.last.iter().enumerate().rev() {
            let Content::AssistantText(text) = &element.content else {
                return false;
            };
            match rest.trim_end().strip_suffix(text.text.trim()) {
                Some("") => {
                    self.last.truncate(at);
                    return true;
                }
                Some(before) => rest = before,
                None => return false,
            }
        }
        false
    }
}

/// Maximum number of texts that are held back.
const MOST: usize = 256;

fn added(element: Element) -> Change {
    Change::Added(Box::new(element))
}

fn is_main_text(element: &Element) -> bool {
    element.parent.is_none() && matches!(element.content, Content::AssistantText(_))
}
