//! Reads a session from disk: its transcript, and the prompts that an earlier server has not answered.

use std::path::{Path, PathBuf};

use claw_sessions::{Session, Sessions, Usd, Zone};
use claw_types::SessionId;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::kept::KeptNotices;
use super::marks::{CutPrompt, CutSession};
use super::{Hub, HubError, history};
use crate::Project;
use crate::conversation::Conversation;
use crate::worktree::Worktree;

/// A session as it was read from disk.
pub(super) struct Found {
    pub(super) project: String,
    pub(super) conversation: Conversation,
    /// Whether the transcript contains a conversation that claude can continue.
    pub(super) is_kept: bool,
    /// The path of a transcript without a conversation.
    pub(super) unsaid: Option<PathBuf>,
    /// The worktree in which the session works, if its transcript does not name it, such as that of a copy.
    pub(super) worktree: Option<Worktree>,
    /// The number of entries that are stored beside the conversation.
    pub(super) kept: usize,
}

impl Found {
    /// A session without a transcript.
    pub(super) fn new(project: &Project, conversation: Conversation) -> Self {
        Self {
            project: project.name.clone(),
            conversation,
            is_kept: false,
            unsaid: None,
            worktree: None,
            kept: 0,
        }
    }
}

impl Hub {
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

/// Adds the title, and the prompts that an earlier server has not answered.
pub(super) fn add_unanswered(
    conversation: &mut Conversation,
    title: Option<String>,
    cut: Option<(PathBuf, Vec<CutPrompt>)>,
) {
    conversation.set(|state| state.title = title);
    for cut in cut.into_iter().flat_map(|(_, prompts)| prompts) {
        conversation.unanswered(&cut.prompt, cut.is_sent);
    }
}

/// Whether a transcript contains no conversation: no line with a UUID, and no unreadable line. Blocks.
fn has_no_conversation(session: &Session) -> Result<bool, HubError> {
    #[derive(Deserialize)]
    struct Link {
        uuid: Option<IgnoredAny>,
    }
    for line in session.entries()? {
        let line = line?;
        let read = serde_json::from_slice(line.raw().unwrap_or_default());
        if !line.is_blank() && !matches!(read, Ok(Link { uuid: None })) && line.is_ended() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses an ID whose transcript exists although no project of this server has the session: the CLI would not begin
/// such a session. Blocks.
pub(super) fn is_new(sessions: &Sessions, id: &SessionId) -> Result<(), HubError> {
    let session = match sessions.find(id.as_str()) {
        Err(error) if error.is_not_found() => return Ok(()),
        found => found?,
    };
    let text = if session.info()?.is_some() {
        "the session began in a folder that is not a project of this server"
    } else {
        // A process was killed right after its start. The CLI neither resumes such a session nor begins a new one under
        // its ID.
        "nothing was said yet in the session's transcript: remove it to begin anew"
    };
    let transcript = session.transcript().display();
    Err(HubError::BadRequest(format!("{text}: {transcript}")))
}
