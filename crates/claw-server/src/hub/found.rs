//! A session as it was read from disk or a store: its transcript, and the prompts that an earlier server has not answered.

use std::path::PathBuf;

use claw_sessions::{Session, Sessions};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::HubError;
use super::marks::CutPrompts;
use crate::Project;
use crate::conversation::Conversation;
use crate::worktree::Worktree;

/// A session as it was read.
pub(super) struct Found {
    pub(super) project: String,
    /// The configuration folder with which the session runs.
    pub(super) home: Sessions,
    pub(super) conversation: Conversation,
    /// Whether the transcript contains a conversation that claude can continue.
    pub(super) is_kept: bool,
    /// The path of a transcript without a conversation.
    pub(super) unsaid: Option<PathBuf>,
    /// The worktree in which the session works, if the session's transcript does not name it. For example, the
    /// transcript of a copied session does not name it.
    pub(super) worktree: Option<Worktree>,
    /// The number of kept entries: entries that only one host's disk had when another host continued the session.
    pub(super) kept: usize,
}

impl Found {
    /// Creates a session without a transcript.
    pub(super) fn new(project: &Project, home: Sessions, conversation: Conversation) -> Self {
        Self {
            project: project.name.clone(),
            home,
            conversation,
            is_kept: false,
            unsaid: None,
            worktree: None,
            kept: 0,
        }
    }
}

/// Sets the title of a conversation, and adds the prompts that an earlier server has not answered.
pub(super) fn add_unanswered(
    conversation: &mut Conversation,
    title: Option<String>,
    cut: Option<CutPrompts>,
) {
    conversation.set(|state| state.title = title);
    for cut in cut.into_iter().flat_map(|cut| cut.prompts) {
        conversation.unanswered(&cut.prompt, cut.is_sent);
    }
}

/// Whether a transcript contains no conversation: no line with a UUID, and no unreadable line. Blocks.
pub(super) fn has_no_conversation(session: &Session) -> Result<bool, HubError> {
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

/// Returns the reason why no new session can have the ID of this session, which is in no project of the server. Blocks.
pub(super) fn not_new(session: &Session) -> Result<HubError, HubError> {
    let text = if session.info()?.is_some() {
        "the session began in a folder that is not a project of this server"
    } else {
        // The process of this session was killed right after its start. The CLI neither resumes such a session nor begins a new
        // one under its ID.
        "nothing was said yet in the session's transcript: remove it to begin anew"
    };
    let transcript = session.transcript().display();
    Ok(HubError::BadRequest(format!("{text}: {transcript}")))
}
