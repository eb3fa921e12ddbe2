//! The list entry of a session, which is updated with each line.

use claw_types::store::SessionInfo;
use claw_types::{Json, Map, SessionId};

use crate::{Line, StoreError};

/// The list entry of a session: its title, times and more. The summary is updated whenever lines of the main transcript
/// are stored. So a list can be made without loading transcripts. This type wraps [`claw_sessions::Summary`].
///
/// A store stores the summary's [data](Self::data) unchanged. In the transaction that stores a line, it also
/// [folds](Self::fold) the line into the summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary(claw_sessions::Summary);

impl Summary {
    /// The maximum size of a summary in a store, in bytes of text.
    pub const LIMIT: usize = 1 << 20;

    /// Parses a summary from the text in a store.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Corrupt`] if the text is not a JSON object.
    pub fn parse(text: &[u8]) -> Result<Self, StoreError> {
        let data = serde_json::from_slice(text)
            .map_err(|_| StoreError::corrupt("a summary is not a JSON object"))?;
        Ok(Self::from_data(data))
    }

    /// Returns the text of the summary after these lines were stored. `kept` is the text that the store had before.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`parse`](Self::parse), and with [`StoreError::Refused`] if the summary cannot be
    /// written as JSON.
    pub fn text_after(kept: Option<&[u8]>, lines: &[&Line]) -> Result<String, StoreError> {
        let mut summary = kept.map(Self::parse).transpose()?.unwrap_or_default();
        for line in lines {
            summary.fold(line);
        }
        serde_json::to_string(summary.data()).map_err(StoreError::refused)
    }

    /// Creates a summary from the data in a store.
    pub fn from_data(data: Map<Json>) -> Self {
        Self(claw_sessions::Summary::from_data(data))
    }

    /// The summary's data as a JSON object. A store stores this object.
    pub fn data(&self) -> &Map<Json> {
        self.0.data()
    }

    /// Updates the summary with the line that was stored next. All lines before it must have been folded in already.
    pub fn fold(&mut self, line: &Line) {
        self.0.fold(line.as_str().as_bytes());
    }

    /// Whether the conversation ends with a deferred tool use, which waits for its permission.
    pub fn is_deferred(&self) -> bool {
        self.0.is_deferred()
    }

    /// Returns the list entry of the session. `modified` is the time at which the transcript was last written to, in
    /// milliseconds since 1970. Returns `None` for a sub-agent's session, and for a session without anything to show.
    pub fn info(&self, id: &SessionId, modified: i64) -> Option<SessionInfo> {
        self.0.info(id, modified)
    }
}
