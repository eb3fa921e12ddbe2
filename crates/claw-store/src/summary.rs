//! What a list shows of a session, gathered line by line.

use claw_types::store::SessionInfo;
use claw_types::{Json, Map, SessionId};

use crate::Line;

/// The list entry of a session: its title, times and more. It is updated while the main transcript is stored, so that
/// a list need not load transcripts. It wraps [`claw_sessions::Summary`].
///
/// A store keeps this object unchanged, and folds each stored line into it in the same transaction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary(claw_sessions::Summary);

impl Summary {
    /// Creates a summary from the object that a store has kept.
    pub fn from_data(data: Map<Json>) -> Self {
        Self(claw_sessions::Summary::from_data(data))
    }

    /// The object for the store to keep.
    pub fn data(&self) -> &Map<Json> {
        self.0.data()
    }

    /// Updates the summary with a line that was stored behind all lines before it.
    pub fn fold(&mut self, line: &Line) {
        self.0.fold(line.as_str().as_bytes());
    }

    /// Returns the list entry. `modified` is when the transcript was last written to, in milliseconds since 1970.
    /// Returns `None` for a sub-agent's session, and for a session without anything to show.
    pub fn info(&self, id: &SessionId, modified: i64) -> Option<SessionInfo> {
        self.0.info(id, modified)
    }
}
