//! What a list shows of a session, gathered line by line.

use claw_types::{Json, Map};

use crate::Line;

/// What a list shows of a session, gathered while its main transcript is stored, so that a list need not load
/// transcripts.
///
/// A store keeps it as it is, and folds each stored line into it in the same transaction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary(Map<Json>);

impl Summary {
    /// Of the object that a store has kept.
    pub fn from_data(data: Map<Json>) -> Self {
        Self(data)
    }

    /// The object to keep.
    pub fn data(&self) -> &Map<Json> {
        &self.0
    }

    /// Takes up a line that was stored behind all lines before it.
    pub fn fold(&mut self, line: &Line) {
        let _ = line.json();
    }
}
