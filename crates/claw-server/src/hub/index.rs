//! The sources of a list of sessions: the index of those on disk, and the sessions without a transcript.

use std::collections::HashSet;
use std::path::Path;
use std::sync::PoisonError;

use claw_sessions::{Index, Session};
use claw_types::SessionId;

use super::{CutSession, Hub, HubError, LiveSession};
use crate::Project;
use crate::conversation::{Conversation, Phase};

/// A session that has no transcript yet.
#[derive(Debug)]
pub(crate) struct Unwritten {
    pub(crate) id: SessionId,
    /// The name of the project.
    pub(crate) project: String,
    pub(crate) title: Option<String>,
    /// The branch of the session's own worktree.
    pub(crate) branch: Option<String>,
    pub(crate) phase: Phase,
    /// The time at which the session began, in milliseconds since 1970. Determines its place in the list.
    pub(crate) began: i64,
    /// The time at which its last prompt was accepted, in milliseconds since 1970, if an earlier server has left its
    /// prompts.
    pub(crate) modified: Option<i64>,
    /// The cost in US dollars, and whether it is an estimate. Absent if the session is not live.
    pub(crate) cost: Option<(f64, bool)>,
}

impl Hub {
    /// The index of the sessions on disk that belong to a project. The first call builds it, so that a server without
    /// lists reads nothing.
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
            .project_of(move |info| {
                let folder = Path::new(info.cwd.as_deref()?);
                Some(innermost(&projects, folder)?.name.clone())
            })
            .run()
            .map_err(HubError::Index)?;
        Ok(index.insert(begun).clone())
    }

    /// Updates one session in the list at once, by reading it from disk. Call it if your program creates, changes or
    /// removes sessions on disk itself. Without this call, the list shows the change later, after at most half a
    /// second for 10,000 sessions. The call blocks.
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

    /// The sessions that are not in the index because their CLI has written nothing yet: live sessions, and sessions
    /// whose prompts an earlier server has left.
    pub(crate) fn unwritten(&self, index: &Index) -> Vec<Unwritten> {
        let live: Vec<_> = self.live().iter().map(LiveSession::unwritten).collect();
        let known: HashSet<_> = live.iter().map(|live| live.id.clone()).collect();
        let cut = self.cut().into_iter().map(Unwritten::from);
        let cut = cut.filter(|cut| !known.contains(&cut.id));
        let all = live.into_iter().chain(cut);
        all.filter(|new| index.get(&new.id).is_none()).collect()
    }

    /// The live session of this ID.
    pub(crate) fn live_of(&self, id: &SessionId) -> Option<LiveSession> {
        self.lock().get(id).cloned()
    }
}

impl LiveSession {
    fn unwritten(&self) -> Unwritten {
        let (title, phase, cost) = self.read(|conversation| {
            let state = conversation.state();
            let cost = (state.cost_usd, state.cost_is_estimate);
            (Conversation::title(conversation), state.phase, cost)
        });
        Unwritten {
            branch: self.worktree().map(|worktree| worktree.branch),
            id: self.id(),
            project: self.project().to_owned(),
            title,
            phase,
            began: self.began(),
            modified: None,
            cost: Some(cost),
        }
    }
}

impl From<(CutSession, String)> for Unwritten {
    fn from((cut, project): (CutSession, String)) -> Self {
        Self {
            id: cut.id,
            project,
            title: Some(cut.title).filter(|title| !title.is_empty()),
            branch: None,
            phase: Phase::Cut,
            began: cut.at,
            modified: Some(cut.at),
            cost: None,
        }
    }
}

/// The project that contains a directory. If projects are nested, the innermost one.
pub(super) fn innermost<'a>(projects: &'a [Project], directory: &Path) -> Option<&'a Project> {
    let all = projects
        .iter()
        .filter(|project| project.contains(directory));
    all.max_by_key(|project| project.folder.components().count())
}
