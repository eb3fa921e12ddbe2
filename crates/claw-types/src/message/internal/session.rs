//! What becomes of the session: its queue, its title, its transcript.

use super::Identity;
use crate::store::SessionStoreEntry;
use crate::{Json, MessageUuid};

/// How far a prompt has come.
#[wire(open)]
pub enum CommandState {
    /// It waits.
    Queued = "queued",
    /// A turn has taken it up.
    Started = "started",
    /// That turn is over.
    Completed = "completed",
    /// It was taken back.
    Cancelled = "cancelled",
    /// It was thrown away: the session ends.
    Discarded = "discarded",
    /// It was not taken.
    Refused = "refused",
}

/// How far a prompt has come.
///
/// To hosts, for prompts to which they gave a uuid, at each step. In no published type.
#[wire(tag(type = "command_lifecycle"))]
pub struct CommandLifecycle {
    /// The prompt.
    pub command_uuid: MessageUuid,
    /// How far it has come.
    pub state: CommandState,
    fields: Identity!(),
    /// What woke the session for it.
    pub wakeup_source: Option<String>,
    /// When it was to come.
    pub scheduled_for: Option<Json>,
    /// `true` where the prompt is a command whose hooks have answered before its turn.
    pub ran_ahead: Option<bool>,
}

/// The session has another title.
///
/// To hosts, when it changes. In no published type.
#[wire(tag(type = "system", subtype = "session_title_changed"))]
pub struct SessionTitleChanged {
    /// The title.
    pub title: String,
    fields: Identity!(),
}

/// Lines that the CLI has written into a transcript.
///
/// To hosts, only with `--session-mirror`, after each write. In no published type; has no uuid.
#[wire(tag(type = "transcript_mirror"))]
pub struct TranscriptMirror {
    /// The transcript: an absolute path.
    #[wire(rename = "filePath")]
    pub file_path: String,
    /// The lines. All but the `api-request…` kinds are mirrored, and what is known of a sub-agent as
    /// well.
    pub entries: Vec<SessionStoreEntry>,
}
