//! What a list of sessions is made of: the index of those on disk, and those that are not there yet.

use std::path::Path;
use std::sync::PoisonError;

use claw_sessions::{Index, Session};
use claw_types::SessionId;

use super::{Hub, HubError, Live};
use crate::Project;
use crate::room::{Phase, Room};

/// A session that has no transcript yet.
#[derive(Debug)]
pub(crate) struct Unwritten {
    pub(crate) id: SessionId,
    /// The name of the project.
    pub(crate) project: String,
    pub(crate) title: Option<String>,
    pub(crate) phase: Phase,
    /// When it began, in milliseconds since 1970: its place in the list.
    pub(crate) began: i64,
}

impl Hub {
    /// The sessions on disk that are of a project, kept current. The first call begins it: a server that lists nothing
    /// reads nothing.
    ///
    /// # Errors
    ///
    /// [`HubError::Index`].
    pub(crate) fn index(&self) -> Result<Index, HubError> {
        let mut index = self
            .inner
            .index
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*index {
            return Ok(index.clone());
        }
        let projects = self.inner.projects.clone();
        let begun = self
            .sessions()
            .index()
            .project_of(move |info| Some(innermost(&projects, info.cwd.as_deref())?.name.clone()))
            .run()
            .map_err(HubError::Index)?;
        Ok(index.insert(begun).clone())
    }

    /// Reads one session again for the list, at once. For a program that makes, changes or removes sessions on disk itself:
    /// without it, the list shows that some time later, half a second at most for 10,000 sessions. Blocks.
    pub fn refresh(&self, session: &Session) {
        let index = self
            .inner
            .index
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(index) = index {
            index.refresh(session);
        }
    }

    /// The sessions that the index does not have: those that are live, and whose CLI has written nothing yet.
    pub(crate) fn unwritten(&self, index: &Index) -> Vec<Unwritten> {
        let live = self.live().into_iter();
        let new = live.filter(|live| index.get(live.id()).is_none());
        new.map(|live| live.unwritten()).collect()
    }

    /// The live session of this ID.
    pub(crate) fn live_of(&self, id: &SessionId) -> Option<Live> {
        self.lock().get(id).cloned()
    }
}

impl Live {
    fn unwritten(&self) -> Unwritten {
        let (title, phase) = self.read(|room| (Room::title(room), room.state().phase));
        Unwritten {
            id: self.id().clone(),
            project: self.project().to_owned(),
            title,
            phase,
            began: self.began(),
        }
    }
}

/// The project in which a directory is: the innermost one, where projects are in one another.
pub(super) fn innermost<'a>(
    projects: &'a [Project],
    directory: Option<&str>,
) -> Option<&'a Project> {
    let directory = Path::new(directory?);
    let all = projects
        .iter()
        .filter(|project| project.contains(directory));
    all.max_by_key(|project| project.folder.components().count())
}
