//! What a hub reads from disk: single sessions, and the sources of a list of sessions, which are the index of those on disk
//! and the sessions without a transcript.

use std::collections::HashSet;
use std::path::Path;
use std::sync::PoisonError;

use claw_sessions::{Index, Session, Usd, Zone};
use claw_types::SessionId;

use super::found::{Found, add_unanswered, has_no_conversation};
use super::kept::KeptNotices;
use super::marks::CutSession;
use super::{Hub, HubError, LiveSession, history};
use crate::Project;
use crate::conversation::{Conversation, Phase};
use crate::worktree::Worktree;

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

    /// Reads a session from disk, with the prompts that an earlier server has not answered. Blocks.
    pub(super) fn read(&self, id: &SessionId) -> Result<Found, HubError> {
        let cut = self.inner.marks.cut(id).map_err(HubError::Unkept)?;
        // An invalid session ID names no session.
        let session = self.sessions().find(id.as_str()).ok();
        let info = match session.as_ref().map(Session::info) {
            Some(Err(error)) if !error.is_not_found() => return Err(error.into()),
            Some(Ok(info)) => info,
            _ => None,
        };
        let folder = info.as_ref().map_or_else(
            || cut.as_ref().map(|(folder, _)| &**folder),
            |info| info.cwd.as_deref().map(Path::new),
        );
        let project = folder.and_then(|folder| self.project_in(folder));
        let project = project.ok_or(HubError::NoSession)?;
        let branch = info.as_ref().and_then(|info| info.git_branch.as_deref());
        let around = folder.and_then(|folder| Worktree::around(project, folder, branch));
        let mut conversation = self.new_conversation(id);
        let mut unsaid = None;
        match (session, &info) {
            (Some(session), Some(_)) => {
                history::read(&session, &mut conversation, &mut KeptNotices::default())?;
                self.add_cost(&session, &mut conversation)?;
            }
            // The process was killed right after its start.
            (Some(session), None) if has_no_conversation(&session)? => {
                unsaid = Some(session.transcript().to_owned());
            }
            (Some(_), None) => return Err(HubError::NoSession),
            (None, _) => {}
        }
        let title = info.as_ref().map(|info| info.summary.clone());
        add_unanswered(&mut conversation, title, cut);
        Ok(Found {
            project: project.name.clone(),
            worktree: around.filter(|_| info.is_some() && !conversation.is_worktree_recorded()),
            conversation,
            is_kept: info.is_some(),
            unsaid,
            kept: 0,
        })
    }

    /// Adds what a session has cost: as the CLI wrote it, or, if a part of that is missing, at least the estimate from
    /// the prices of its answers. Blocks.
    pub(super) fn add_cost(
        &self,
        session: &Session,
        conversation: &mut Conversation,
    ) -> Result<(), claw_sessions::Error> {
        let written = session.cost()?;
        if let Some(cost) = written.filter(|cost| cost.is_whole) {
            conversation.cost_before(cost.usd.dollars(), false);
            return Ok(());
        }
        let usage = session.usage_at(self.prices(), &Zone::default())?;
        let estimate = usage.total.estimate.map(|estimate| estimate.usd);
        let cost = written.map(|cost| cost.usd).max(estimate);
        if let Some(usd) = cost.filter(|usd| *usd > Usd::ZERO) {
            conversation.cost_before(usd.dollars(), true);
        }
        Ok(())
    }

    /// The sessions with prompts that an earlier server has not answered, with the names of their projects. Some of
    /// these sessions have no transcript.
    pub(crate) fn cut(&self) -> Vec<(CutSession, String)> {
        let sessions = self.inner.marks.cut_sessions().into_iter();
        let with_project = sessions.filter_map(|cut| {
            let project = self.project_in(&cut.folder)?.name.clone();
            Some((cut, project))
        });
        with_project.collect()
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
