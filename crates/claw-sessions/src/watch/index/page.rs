//! Queries of an index, and their results.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use claw_types::SessionId;
use claw_types::store::SessionInfo;

use crate::home::is_session_id;
use crate::{Cost, Session};

/// A session in an [`Index`](super::Index), with its list entry.
#[derive(Debug)]
#[non_exhaustive]
pub struct Indexed {
    /// The session on disk.
    pub session: Session,
    /// The session's list entry.
    pub info: SessionInfo,
    /// The name of the session's project, from the function of
    /// [`IndexBuilder::project_of`](super::IndexBuilder::project_of). `None` if no such function was set.
    pub project: Option<String>,
    /// The cost of the session and its sub-agents, as the CLI wrote it when it last ended. `None` if there is no cost
    /// near the end of the transcript: see [`Session::cost`].
    pub cost: Option<Cost>,
    /// The beginning of the newest text that a person or the model wrote in the main conversation. `None` if there is no
    /// such text near the end of the transcript.
    pub last_message: Option<String>,
    /// The session of which this one is a fork: see [`Session::forked_from`].
    pub forked_from: Option<SessionId>,
    /// The index of the session's configuration folder, in the order of the folders.
    pub(super) config_dir: usize,
    /// The title and the first prompt, in lower case.
    text: String,
}

impl Indexed {
    pub(super) fn new(session: Session, info: SessionInfo, project: Option<String>) -> Self {
        let mut text = info.summary.to_lowercase();
        if let Some(first) = info.first_prompt.as_ref() {
            text.push('\n');
            text += &first.to_lowercase();
        }
        Self {
            session,
            info,
            project,
            cost: None,
            last_message: None,
            forked_from: None,
            config_dir: 0,
            text,
        }
    }

    /// Returns the position of the session in a list.
    pub fn cursor(&self) -> Cursor {
        Cursor {
            modified: self.info.last_modified.as_i64().unwrap_or_default(),
            id: self.info.session_id.clone(),
            config_dir: self.config_dir,
        }
    }
}

/// The position of a session in a list: the time in its list entry ([`SessionInfo::last_modified`]), then its ID, then
/// its configuration folder. A list is sorted by these positions, with the latest time first.
///
/// A cursor stays valid if its session is changed or removed. As text, a cursor is the time, `_` and the ID, and needs
/// no escaping in a URL. If the session is not in the first configuration folder, `_` and the number of its folder
/// follow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Cursor {
    /// The time in the session's list entry, in milliseconds since 1970.
    pub modified: i64,
    /// The ID of the session.
    pub id: SessionId,
    /// The number of the session's configuration folder, in the order of the folders, counted from 0.
    pub config_dir: usize,
}

impl Cursor {
    /// Creates the position of a session with this ID and this time in its list entry, in milliseconds since 1970. The
    /// session is in the first configuration folder.
    pub fn new(modified: i64, id: SessionId) -> Self {
        Self {
            modified,
            id,
            config_dir: 0,
        }
    }
}

impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let time = self.modified.cmp(&other.modified);
        time.then_with(|| self.id.as_str().cmp(other.id.as_str()))
            // Lists are in descending order, so the first folder must be the greatest.
            .then_with(|| other.config_dir.cmp(&self.config_dir))
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.modified, self.id.as_str())?;
        if self.config_dir > 0 {
            write!(f, "_{}", self.config_dir)?;
        }
        Ok(())
    }
}

/// The error for a text that is not a [`Cursor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a place in a list of sessions: it is a time in milliseconds, `_` and the ID of a session"
)]
#[non_exhaustive]
pub struct NoCursor;

impl FromStr for Cursor {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Self, NoCursor> {
        let (modified, id) = text.split_once('_').ok_or(NoCursor)?;
        let modified = modified.parse().map_err(|_| NoCursor)?;
        let (id, config_dir) = match id.split_once('_') {
            Some((id, number)) => (id, number.parse().map_err(|_| NoCursor)?),
            None => (id, 0),
        };
        let id = is_session_id(id).then(|| SessionId::from(id));
        Ok(Self {
            modified,
            id: id.ok_or(NoCursor)?,
            config_dir,
        })
    }
}

/// A query that selects sessions of an index, for [`Index::page`](super::Index::page).
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct PageQuery {
    pub(super) project: Option<String>,
    pub(super) archived: Option<bool>,
    pub(super) text: Option<String>,
    pub(super) after: Option<Cursor>,
    pub(super) limit: Option<usize>,
}

impl PageQuery {
    /// Creates a query that selects all sessions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects the sessions of the project with this name.
    pub fn project(mut self, name: impl Into<String>) -> Self {
        self.project = Some(name.into());
        self
    }

    /// Selects only archived sessions (`true`), or only sessions that are not archived (`false`).
    pub fn archived(mut self, archived: bool) -> Self {
        self.archived = Some(archived);
        self
    }

    /// Selects the sessions whose title or first prompt contains this text, ignoring case.
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_lowercase());
        self
    }

    /// Selects the sessions after this position. Pass [`Page::next`] of the previous page.
    pub fn after(mut self, cursor: Cursor) -> Self {
        self.after = Some(cursor);
        self
    }

    /// Sets the maximum number of sessions. 0 means no limit.
    pub fn limit(mut self, sessions: usize) -> Self {
        self.limit = (sessions > 0).then_some(sessions);
        self
    }

    pub(super) fn takes(&self, session: &Indexed) -> bool {
        let is_archived = session.info.archived.unwrap_or_default();
        self.archived.is_none_or(|asked| asked == is_archived)
            && (self.project.is_none() || self.project == session.project)
            && self
                .text
                .as_ref()
                .is_none_or(|text| session.text.contains(&**text))
    }
}

/// A page of an index's list, most recently changed session first.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page {
    /// The sessions of this page.
    pub sessions: Vec<Arc<Indexed>>,
    /// The position to pass to [`PageQuery::after`] for the next page. `None` at the end of the list.
    pub next: Option<Cursor>,
}
