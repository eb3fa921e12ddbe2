//! Reports changes to lists of sessions, so that the lists stay current. A change concerns the title, the tag, the archived
//! state or the worktree state of a session, or its deletion.

use serde::Serialize;
use tokio::sync::broadcast;

use crate::worktree::WorktreeState;

/// Maximum number of changes that a watch may be behind. A watch that is further behind misses changes, and its list
/// must be read again.
const MOST_BEHIND: usize = 64;

/// A change of a session's entry in lists. Absent fields have not changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    /// The ID of the session.
    pub(crate) id: String,
    /// The new title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The new tag. Empty if the tag was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
    /// Whether the session is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) archived: Option<bool>,
    /// The new state of the session's worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worktree: Option<WorktreeState>,
    /// Whether the session was deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) deleted: bool,
}

/// The channel on which this server sends all changes to all watches.
#[derive(Debug)]
pub(crate) struct Edits(broadcast::Sender<Edit>);

impl Default for Edits {
    fn default() -> Self {
        Self(broadcast::channel(MOST_BEHIND).0)
    }
}

impl Edits {
    /// Sends a change to all watches.
    pub(crate) fn send(&self, edit: Edit) {
        // The call fails only if no watch exists. The error is ignored, because the change then has no receiver.
        let _ = self.0.send(edit);
    }

    /// Returns a watch for the changes from now on.
    pub(crate) fn watch(&self) -> EditWatch {
        EditWatch(self.0.subscribe())
    }
}

/// Receives the changes of sessions' entries in lists.
#[derive(Debug)]
pub(crate) struct EditWatch(broadcast::Receiver<Edit>);

impl EditWatch {
    /// Returns the next change. Returns `None` if changes were missed because the buffer was full.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Edit> {
        match self.0.recv().await {
            Ok(edit) => Some(edit),
            Err(broadcast::error::RecvError::Lagged(_)) => None,
            // The channel is closed, because the server is ending. The server itself ends the tasks that wait here, so
            // this call need not return.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watch_that_is_too_far_behind_learns_that_it_missed_changes() {
        let edits = Edits::default();
        let mut watch = edits.watch();
        let of = |number: usize| Edit {
            id: number.to_string(),
            ..Edit::default()
        };
        (0..=MOST_BEHIND).for_each(|number| edits.send(of(number)));
        assert_eq!(watch.next().await, None);
        assert_eq!(watch.next().await, Some(of(1)));
    }
}
