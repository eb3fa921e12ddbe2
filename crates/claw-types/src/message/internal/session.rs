//! Changes to the session: to its queue of prompts, its title and its transcript.

use super::Identity;
use crate::store::SessionStoreEntry;
use crate::{Json, MessageUuid};

/// The progress of a prompt.
#[wire(open)]
pub enum CommandState {
    /// The prompt is queued.
    Queued = "queued",
    /// A turn has taken the prompt from the queue.
    Started = "started",
    /// The turn of the prompt has ended.
    Completed = "completed",
    /// The prompt was cancelled.
    Cancelled = "cancelled",
    /// The prompt was discarded because the session ends.
    Discarded = "discarded",
    /// The prompt was refused.
    Refused = "refused",
}

/// The progress of a prompt.
///
/// The CLI sends this message each time a prompt makes progress, if the host gave the prompt a UUID. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "command_lifecycle"))]
pub struct CommandLifecycle {
    /// The UUID of the prompt.
    pub command_uuid: MessageUuid,
    /// The progress of the prompt.
    pub state: CommandState,
    fields: Identity!(),
    /// The kind of wake-up that started the prompt: `loop_wakeup` or `schedule_wakeup`. Sent only with the state
    /// `started`.
    pub wakeup_source: Option<String>,
    /// The time for which the wake-up was set, in milliseconds since 1970. Sent only if the source
    /// is `loop_wakeup`.
    pub scheduled_for: Option<Json>,
    /// Whether the prompt is a slash command whose hooks have already run, although its turn has not begun.
    pub ran_ahead: Option<bool>,
}

/// A change to the session's title.
///
/// The CLI sends this message when the title changes. The types of the official SDK do not include
/// this message.
#[wire(tag(type = "system", subtype = "session_title_changed"))]
pub struct SessionTitleChanged {
    /// The new title of the session.
    pub title: String,
    fields: Identity!(),
}

/// Transcript entries that the CLI has just written.
///
/// The CLI sends this message after each write to the transcript, but only if it was started with the flag
/// `--session-mirror`. The message has no UUID. The types of the official SDK do not include this message.
#[wire(tag(type = "transcript_mirror"))]
pub struct TranscriptMirror {
    /// The absolute path of the transcript.
    #[wire(rename = "filePath")]
    pub file_path: String,
    /// The entries that were written, including the metadata of sub-agents. Entries whose kind begins with
    /// `api-request` are left out.
    pub entries: Vec<SessionStoreEntry>,
}
