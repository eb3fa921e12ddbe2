//! What a list shows of a session, gathered line by line.

use claw_types::store::SessionInfo;
use claw_types::{Json, Map, SessionId};

use crate::Line;

/// What a list shows of a session, gathered while its main transcript is stored, so that a list need not load
/// transcripts: [`claw_sessions::Summary`].
///
/// A store keeps it as it is, and folds each stored line into it in the same transaction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary(claw_sessions::Summary);

impl Summary {
    /// Of the object that a store has kept.
    pub fn from_data(data: Map<Json>) -> Self {
        Self(claw_sessions::Summary::from_data(data))
    }

    /// The object to keep.
    pub fn data(&self) -> &Map<Json> {
        self.0.data()
    }

    /// Takes up a line that was stored behind all lines before it.
    pub fn fold(&mut self, line: &Line) {
        self.0.fold(line.as_str().as_bytes());
    }

    /// What a list shows. `modified` is when the transcript was last written to, in milliseconds since 1970. `None` for
    /// a session that is a sub-agent's, or of which there is nothing to show.
    pub fn info(&self, id: &SessionId, modified: i64) -> Option<SessionInfo> {
        self.0.info(id, modified)
    }
}
