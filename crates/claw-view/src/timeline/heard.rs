//! What a result repeats.

use std::collections::VecDeque;

use super::{Change, hash};
use crate::element::Content;

/// How many texts are remembered until a result repeats them.
const REMEMBERED: usize = 256;

/// The texts of the main conversation that no result has repeated yet, by their hashes.
///
/// A result repeats the text that the model said last. Where nobody said it, as after a command that
/// only a result answers, the result's is the only one.
#[derive(Debug, Default)]
pub(super) struct Heard(VecDeque<u64>);

impl Heard {
    /// Remembers the texts that were shown.
    pub(super) fn hear(&mut self, changes: &[Change]) {
        for change in changes {
            let (Change::Added(element) | Change::Updated(element)) = change else {
                continue;
            };
            let text = match &element.content {
                _ if element.parent.is_some() => continue,
                Content::AssistantText(text) if !text.streaming => &text.text,
                Content::CommandOutput(output) => &output.text,
                Content::Error(error) => &error.text,
                Content::Notice(notice) => &notice.text,
                _ => continue,
            };
            self.0.push_back(hash(text.trim()));
            if self.0.len() > REMEMBERED {
                self.0.pop_front();
            }
        }
    }

    /// Whether a result's text was shown. It is forgotten: the next result may say the same.
    pub(super) fn has_heard(&mut self, text: &str) -> bool {
        let text = hash(text.trim());
        let remembered = self.0.len();
        self.0.retain(|heard| *heard != text);
        self.0.len() < remembered
    }
}
