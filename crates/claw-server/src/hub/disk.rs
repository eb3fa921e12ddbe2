//! Reads sessions from disk for a hub. Lists of sessions have two sources here: the index of the sessions on disk, and
//! the sessions that have no transcript yet.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use claw_sessions::{Error, Index, Indexed, Session, Sessions, Usd, Zone};
use claw_types::SessionId;
use claw_types::store::SessionInfo;

use super::found::{Found, add_unanswered, has_no_conversation, not_new};
use super::kept::KeptNotices;
use super::marks::{CutPrompts, CutSession};
use super::readable::check_readable;
use super::{Hub, HubError, LiveSession, history};
use crate::Project;
use crate::conversation::{Conversation, Phase};
use crate::worktree::Worktree;

/// The error text for a request with a configuration folder that this server does not use.
pub(crate) const UNKNOWN_CONFIG_DIR: &str =
    "`configDir` is none of this server's configuration folders";

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
    /// The time at which the session began, in milliseconds since 1970. Determines the position of the session in the
    /// list.
    pub(crate) began: i64,
    /// The time at which the last prompt of the session was accepted, in milliseconds since 1970. Set only if an
    /// earlier server left prompts of the session unanswered.
    pub(crate) modified: Option<i64>,
    /// The session's configuration folder, if it is known.
    pub(crate) config_dir: Option<PathBuf>,
    /// The cost in US dollars, and whether it is an estimate. `None` if the session is not live.
    pub(crate) cost: Option<(f64, bool)>,
}

/// A session on disk, and the project to which it belongs.
struct Located<'a> {
    project: &'a Project,
    /// The transcript. `None` if there are only prompts that an earlier server has not answered.
    session: Option<Session>,
    /// The list entry. `None` if the transcript contains no conversation.
    info: Option<SessionInfo>,
    cut: Option<CutPrompts>,
}

impl Hub {
    /// Returns the index of the sessions on disk that belong to a project. The first call builds the index. A server
    /// that never lists sessions reads none of them.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Index`] if no thread can be started for the index.
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
            .project_of(move |session, info| {
                let folder = Path::new(info.cwd.as_deref()?);
                Some(owner(&projects, session.config_dir(), folder)?.name.clone())
            })
            .run()
            .map_err(HubError::Index)?;
        Ok(index.insert(begun).clone())
    }

    /// Updates one session in the list at once, by reading it from disk. Call this method if your program itself
    /// creates, changes or removes sessions on disk. Otherwise the list shows the change later, after at most half a
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

    /// Returns the sessions that are not in the index because they have no transcript yet. These are live sessions, and
    /// sessions with prompts that an earlier server left unanswered.
    pub(crate) fn unwritten(&self, index: &Index) -> Vec<Unwritten> {
        let live: Vec<_> = self.live().iter().map(LiveSession::unwritten).collect();
        let known: HashSet<_> = live.iter().map(|live| live.id.clone()).collect();
        let cut = self.cut().into_iter().map(Unwritten::from);
        let cut = cut.filter(|cut| !known.contains(&cut.id));
        let all = live.into_iter().chain(cut);
        let homes: Vec<_> = self.sessions().each().collect();
        let is_written = |new: &Unwritten| {
            let mut written = homes
                .iter()
                .filter_map(|home| index.get_in(home.config_dir(), &new.id));
            written.any(|known| self.is_same(new, &known))
        };
        all.filter(|new| !is_written(new)).collect()
    }

    /// Whether the session of the index is this session, which had no transcript before. A session with the same ID in
    /// another configuration folder, such as the home of a wall, is another session.
    pub(crate) fn is_same(&self, new: &Unwritten, known: &Indexed) -> bool {
        let config_dir = known.session.config_dir();
        let is_there = match &new.config_dir {
            Some(own) => own == config_dir,
            None => self.may_have(&new.project, config_dir),
        };
        is_there && known.info.session_id == new.id
    }

    /// Whether sessions of a project may be in a configuration folder: in that of its own wall, and in those of no wall.
    pub(crate) fn may_have(&self, project: &str, config_dir: &Path) -> bool {
        let project = self.project(project).ok();
        let own = project.and_then(Project::own_config_dir);
        own.is_some_and(|own| own == config_dir) || !is_of_wall(self.projects(), config_dir)
    }

    /// Returns the list entry of a project's session on this host's disk. If several configuration folders have a
    /// session with this ID, it is the one in the folder with which sessions of the project run, or else the one that was
    /// changed last. Does not read the disk.
    pub(crate) fn known_of(
        &self,
        index: &Index,
        project: &str,
        id: &SessionId,
    ) -> Option<Arc<Indexed>> {
        let project = self.project(project).ok()?;
        let homes = self.sessions().each();
        let homes = homes.filter(|home| self.may_have(&project.name, home.config_dir()));
        let known = homes.filter_map(|home| {
            let known = index.get_in(home.config_dir(), id)?;
            Some((self.has_home(project, &home), known))
        });
        let newest = known.max_by_key(|(runs_here, known)| (*runs_here, known.cursor()));
        newest.map(|(_, known)| known)
    }

    /// Returns the live session with this ID, if there is one.
    pub(crate) fn live_of(&self, id: &SessionId) -> Option<LiveSession> {
        self.lock().get(id).cloned()
    }

    /// Finds a session on disk. If the session is live, this searches only the session's own configuration folder.
    /// Otherwise it searches all configuration folders. A transcript in the home of a wall does not hide the session of
    /// another project that has the same ID. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`Sessions::find`]. A configuration folder that does not exist has no sessions.
    pub(crate) fn find(&self, id: &str) -> Result<Session, Error> {
        let live = self.live_of(&SessionId::from(id));
        let sessions = live.as_ref().map_or(self.sessions(), LiveSession::home);
        match sessions.find(id) {
            Err(error @ Error::InSeveral { .. }) => self.find_by_rank(id).ok_or(error),
            found => found,
        }
    }

    /// Finds a session whose ID is in several configuration folders. Returns the one with the highest rank, and `None` if
    /// more than one has this rank.
    fn find_by_rank(&self, id: &str) -> Option<Session> {
        let homes = self.sessions().each();
        let found = homes.filter_map(|home| home.find(id).ok());
        let mut found: Vec<_> = found.map(|it| (self.rank(&it), it)).collect();
        let best = found.iter().map(|(rank, _)| *rank).max()?;
        found.retain(|(rank, _)| *rank == best && best > 0);
        let (_, session) = found.pop()?;
        found.is_empty().then_some(session)
    }

    /// Ranks sessions with the same ID. What runs behind a wall can copy a transcript, or write any other one, into the
    /// wall's home. So a session in the server's own folders has the highest rank. The exception is a session that began
    /// before its project got a wall.
    fn rank(&self, session: &Session) -> u8 {
        let config_dir = session.config_dir();
        let info = session.info().ok().flatten();
        let folder = info.as_ref().and_then(|info| info.cwd.as_deref());
        let project = folder.and_then(|folder| self.project_at(config_dir, Path::new(folder)));
        let runs_here = project.is_none_or(|it| self.has_home(it, session.sessions()));
        match (is_of_wall(self.projects(), config_dir), project) {
            (true, None) => 0,
            (false, _) if !runs_here => 1,
            (true, Some(_)) => 2,
            (false, _) => 3,
        }
    }

    /// Returns the list entry of the session that [`find`](Self::find) finds. Returns `None` if the session does not exist
    /// or is not in the index. Blocks.
    pub(crate) fn known(&self, index: &Index, id: &SessionId) -> Option<Arc<Indexed>> {
        let known = index.get(id)?;
        if !self.sessions().has_several() {
            return Some(known);
        }
        match self.find_if_any(id.as_str()) {
            Ok(session) => index.get_in(session?.config_dir(), id),
            Err(_) => Some(known),
        }
    }

    /// Finds a session on disk as [`find`](Self::find) does. Returns `None` if there is no such session. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Disk`] if several configuration folders have the session. Also fails with this error if
    /// there are several configuration folders and an existing one cannot be read, because the session may be in it. The
    /// exception is the home of a wall, in which only sessions of the wall's project can be. What runs behind the wall
    /// can make the home unreadable. So this is only logged, unless the session is live in this home.
    pub(crate) fn find_if_any(&self, id: &str) -> Result<Option<Session>, HubError> {
        match self.find(id) {
            Ok(session) => Ok(Some(session)),
            Err(error @ Error::InSeveral { .. }) => Err(error.into()),
            Err(Error::Io { .. }) if self.sessions().has_several() => {
                let live = self.live_of(&SessionId::from(id));
                for home in self.sessions().each() {
                    let Err(error) = check_readable(&home) else {
                        continue;
                    };
                    let is_own = |live: &LiveSession| live.home().config_dir() == home.config_dir();
                    if !is_of_wall(self.projects(), home.config_dir())
                        || live.as_ref().is_some_and(is_own)
                    {
                        return Err(error.into());
                    }
                    self.inner.reported_homes.report(&home, &error);
                }
                Ok(None)
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the number of configuration folders that exist and cannot be read. Blocks.
    pub(crate) fn unreadable_homes(&self) -> usize {
        let homes = self.sessions().each();
        homes.filter(|home| check_readable(home).is_err()).count()
    }

    /// Checks that a new session with this configuration folder can have this ID. The caller has found no such session in
    /// the projects of this server. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if a transcript with this ID exists, because the CLI begins no session whose ID
    /// already has a transcript. Fails with [`HubError::Disk`] if the folder cannot be read, because the transcript may be
    /// in it, and with the same errors as [`find_if_any`](Self::find_if_any).
    pub(super) fn check_new(&self, id: &SessionId, home: &Sessions) -> Result<(), HubError> {
        match self.find_if_any(id.as_str())? {
            Some(session) => Err(not_new(&session)?),
            None => Ok(check_readable(home)?),
        }
    }

    /// Checks that the configuration folder of a project's new sessions can be read. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Disk`], which contains the path of the folder.
    pub(super) fn check_home(&self, project: &Project) -> Result<(), HubError> {
        Ok(check_readable(&self.new_home(project, None)?)?)
    }

    /// Whether sessions of a project may run with this configuration folder. A project with a [wall](crate::Wall) may
    /// use only the folder of its wall. Any other project may use the folders that belong to no wall. Processes behind
    /// a wall write to the wall's folder, and could put hooks there that would run in processes outside the wall.
    pub(super) fn has_home(&self, project: &Project, home: &Sessions) -> bool {
        match project.own_config_dir() {
            Some(own) => own == home.config_dir(),
            None => !is_of_wall(self.projects(), home.config_dir()),
        }
    }

    /// Returns the configuration folder for new sessions of a project. If a request names a folder, this is that folder.
    /// Otherwise it is the first folder that the project may use.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if this server does not use the named folder, or if the project may not use it.
    pub(super) fn new_home(
        &self,
        project: &Project,
        named: Option<&Path>,
    ) -> Result<Sessions, HubError> {
        let all = self.sessions().each();
        let mut all = all.filter(|home| self.has_home(project, home));
        let home = match named {
            Some(named) => all.find(|home| home.config_dir() == named),
            None => all.next(),
        };
        home.ok_or_else(|| HubError::BadRequest(UNKNOWN_CONFIG_DIR.to_owned()))
    }

    /// Returns the configuration folder with which a session of the store runs. This is the folder that has a
    /// transcript of the session, if the project may use it. Otherwise it is the first folder that the project may use.
    /// Blocks.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`find_if_any`](Self::find_if_any).
    pub(super) fn home_of(&self, project: &Project, id: &str) -> Result<Sessions, HubError> {
        if self.sessions().has_several()
            && let Some(session) = self.find_if_any(id)?
            && self.has_home(project, session.sessions())
        {
            return Ok(session.sessions().clone());
        }
        self.new_home(project, None)
    }

    /// Returns the list entry of a session that is on disk and not live, and the name of its project. Reads only the
    /// first and last lines of the transcript. Returns `None` for a live session and for a session without a transcript.
    /// If the server has a store, it returns `None` for all sessions, because the transcript on disk may be older. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if the session belongs to no project, and with [`HubError::Disk`] as
    /// [`find_if_any`](Self::find_if_any) does.
    pub(crate) fn glance(&self, id: &SessionId) -> Result<Option<(String, SessionInfo)>, HubError> {
        if self.inner.store.is_some() || self.is_ending() || self.live_of(id).is_some() {
            return Ok(None);
        }
        let located = self.locate(id)?;
        Ok(located
            .info
            .map(|info| (located.project.name.clone(), info)))
    }

    /// Finds a session on disk, and the project to which it belongs. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if there is neither a transcript nor a prompt that an earlier server has not
    /// answered, or if the session belongs to no project.
    fn locate(&self, id: &SessionId) -> Result<Located<'_>, HubError> {
        let cut = self.inner.marks.cut(id).map_err(HubError::Unkept)?;
        // If the ID is not a valid session ID, `find_if_any` returns `None`, as for an unknown session.
        let session = self.find_if_any(id.as_str())?;
        let info = match session.as_ref().map(Session::info) {
            Some(Err(error)) if !error.is_not_found() => return Err(error.into()),
            Some(Ok(info)) => info,
            _ => None,
        };
        let folder = info.as_ref().map_or_else(
            || cut.as_ref().map(|cut| &*cut.folder),
            |info| info.cwd.as_deref().map(Path::new),
        );
        let project = folder.and_then(|folder| match &session {
            Some(session) => self.project_at(session.config_dir(), folder),
            None => self.project_in(folder),
        });
        Ok(Located {
            project: project.ok_or(HubError::NoSession)?,
            session,
            info,
            cut,
        })
    }

    /// Reads a session from disk, and adds the prompts that an earlier server has not answered. Blocks.
    pub(super) fn read(&self, id: &SessionId) -> Result<Found, HubError> {
        let Located {
            project,
            session,
            info,
            cut,
        } = self.locate(id)?;
        let home = if let Some(session) = &session {
            session.sessions().clone()
        } else {
            let of_cut = cut.as_ref().and_then(|cut| cut.config_dir.as_deref());
            let home = self.new_home(project, of_cut)?;
            // The folder may contain a transcript. A process must not begin the session anew.
            check_readable(&home)?;
            home
        };
        let branch = info.as_ref().and_then(|info| info.git_branch.as_deref());
        let folder = info.as_ref().and_then(|info| info.cwd.as_deref());
        let around = folder.and_then(|it| Worktree::around(project, Path::new(it), branch));
        let mut conversation = self.new_conversation(id);
        let mut unsaid = None;
        match (session, &info) {
            (Some(session), Some(_)) => {
                history::read(&session, &mut conversation, &mut KeptNotices::default())?;
                self.add_cost(&session, &mut conversation)?;
            }
            // The process was killed right after its start, so the transcript contains no conversation.
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
            home,
            worktree: around.filter(|_| !conversation.is_worktree_recorded()),
            conversation,
            is_kept: info.is_some(),
            unsaid,
            kept: 0,
        })
    }

    /// Adds the cost that the CLI has written into the session's transcript. If the CLI has not written the whole cost, this
    /// adds an estimate: either the written part, or the cost computed from the prices of the answers, whichever is higher.
    /// Blocks.
    pub(super) fn add_cost(
        &self,
        session: &Session,
        conversation: &mut Conversation,
    ) -> Result<(), Error> {
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

    /// Returns the sessions with prompts that an earlier server has not answered, and the names of their projects. Some
    /// of these sessions have no transcript.
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
            config_dir: Some(self.home().config_dir().to_owned()),
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
            config_dir: cut.config_dir,
            cost: None,
        }
    }
}

/// Whether a configuration folder is the home of a project's wall.
pub(super) fn is_of_wall(projects: &[Project], config_dir: &Path) -> bool {
    let mut homes = projects.iter().filter_map(Project::own_config_dir);
    homes.any(|own| own == config_dir)
}

/// Returns the project to which a session belongs (see [`Hub::project_at`]).
pub(super) fn owner<'a>(
    projects: &'a [Project],
    config_dir: &Path,
    directory: &Path,
) -> Option<&'a Project> {
    let project = innermost(projects, directory)?;
    let is_own = project.own_config_dir().as_deref() == Some(config_dir);
    (is_own || !is_of_wall(projects, config_dir)).then_some(project)
}

/// Returns the project that contains a directory. If projects are nested, this is the innermost one.
pub(super) fn innermost<'a>(projects: &'a [Project], directory: &Path) -> Option<&'a Project> {
    let all = projects
        .iter()
        .filter(|project| project.contains(directory));
    all.max_by_key(|project| project.folder.components().count())
}
