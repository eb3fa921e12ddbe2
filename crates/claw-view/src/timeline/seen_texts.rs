//! Remembers shown texts, because a result can repeat them.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};

use super::Change;
use crate::element::Content;

/// The maximum number of texts that are remembered.
const REMEMBERED: usize = 256;

/// Hashes of texts of the main conversation that were shown, and that no result has repeated yet.
#[derive(Debug, Default)]
pub(super) struct SeenTexts {
    texts: VecDeque<u64>,
    /// Whether the model has answered since the last result.
    has_answer: bool,
    hasher: RandomState,
}

impl SeenTexts {
    /// Remembers the texts that were shown.
    pub(super) fn remember(&mut self, changes: &[Change]) {
        for change in changes {
            let (Change::Added(element) | Change::Updated(element)) = change else {
                continue;
            };
            let text = match &element.content {
                _ if element.parent.is_some() => continue,
                Content::AssistantText(text) if !text.streaming => {
                    self.has_answer |= !text.text.trim().is_empty();
                    &text.text
                }
                Content::CommandOutput(output) => &output.text,
                Content::Error(error) => &error.text,
                Content::Notice(notice) => &notice.text,
                _ => continue,
            };
            self.texts.push_back(self.hasher.hash_one(text.trim()));
            if self.texts.len() > REMEMBERED {
                self.texts.pop_front();
            }
        }
    }

    /// Whether the text of a result need not be shown. This is the case if the model has answered in this turn, or if
    /// the same text was already shown. Forgets that text, because a later result may contain the same text again.
    pub(super) fn contains(&mut self, text: &str) -> bool {
        let text = self.hasher.hash_one(text.trim());
        let remembered = self.texts.len();
        self.texts.retain(|seen| *seen != text);
        std::mem::take(&mut self.has_answer) || self.texts.len() < remembered
    }
}
