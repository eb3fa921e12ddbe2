//! Sessions as programs that keep them see them: what there is to list, and a store's keys and
//! entries.

use crate::message::ToolResultMeta;
use crate::{Count, Extra, Json, Map, MessageUuid, Number, SessionId, ToolUseId};

/// A session, as a list of sessions shows it.
///
/// Made by reading the session's file. An absent field is not known.
#[wire(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The session.
    pub session_id: SessionId,
    /// What to show: the title, or else what the session was about or began with.
    pub summary: String,
    /// When it was last written to, in milliseconds since 1970.
    pub last_modified: Number,
    /// The file's size in bytes. Absent where the session is no file.
    pub file_size: Option<Count>,
    /// The title that a person gave it.
    pub custom_title: Option<String>,
    /// What the person said first.
    pub first_prompt: Option<String>,
    /// The git branch that it was on last.
    pub git_branch: Option<String>,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// The word that it can be found by.
    pub tag: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: Option<Number>,
    /// Whether it was put aside. Absent where it never was; `false` where it was taken out again.
    pub archived: Option<bool>,
}

/// Who speaks in a line of a session.
#[wire(open)]
pub enum SessionMessageType {
    /// The user, or a tool on the user's behalf.
    User = "user",
    /// The model.
    Assistant = "assistant",
    /// The CLI.
    System = "system",
}

/// A line of a session that is shown again, in the order in which it was said.
#[wire]
pub struct SessionMessage {
    /// Who speaks.
    #[wire(rename = "type")]
    pub kind: SessionMessageType,
    /// Names the line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// What is said: the `message` of the line, any JSON.
    pub message: Json,
    /// The tool use whose sub-agent speaks; null for the main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The sub-agent that started the one that speaks; null where the main conversation did.
    #[wire(nullable)]
    pub parent_agent_id: Option<String>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the turn was cut off by the end of the CLI. Absent where it was not.
    #[wire(rename = "interruptedByShutdown")]
    pub interrupted_by_shutdown: Option<bool>,
    /// Why nobody answered the question for the tool: `stream-closed`.
    #[wire(rename = "toolDenialUnanswered")]
    pub tool_denial_unanswered: Option<String>,
    /// Why the tool whose result this is did not run. Absent where it ran.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// Whether it is the summary that stands for what was compacted. Absent where it is not.
    #[wire(rename = "isCompactSummary")]
    pub is_compact_summary: Option<bool>,
    /// Whether the CLI wrote it, and no person. Absent where it did not.
    pub is_meta: Option<bool>,
    /// Whether it is a prompt that waited in the queue and was taken up during a turn. Absent where it is not.
    #[wire(rename = "isQueuedCommand")]
    pub is_queued_command: Option<bool>,
    /// Whether it records a slash command that ran without the model. Absent where it does not.
    #[wire(rename = "isCompletedLocalCommand")]
    pub is_completed_local_command: Option<bool>,
    /// Where the prompt comes from: any JSON with a `kind`, as the transcript has it.
    pub origin: Option<Json>,
}

/// A place in a store of transcripts: a session's own, or one beside it.
#[wire(rename_all = "camelCase")]
pub struct SessionKey {
    /// The project, by the name of its folder; or whatever else the host keeps apart.
    pub project_key: String,
    /// The session.
    pub session_id: SessionId,
    /// The file beside the session's own, such as `subagents/agent-a1`. Absent for the main
    /// conversation; never empty.
    pub subpath: Option<String>,
}

/// A line of a transcript as a store sees it: what it needs to know of it, and all else in `extra`.
///
/// Takes any entry, of whatever CLI, and gives it back as it came. With the feature `transcript`, [`entry`](Self::entry) reads it.
#[wire]
pub struct SessionStoreEntry {
    /// The kind.
    #[wire(rename = "type")]
    pub kind: String,
    /// Names the line. Absent on notes.
    pub uuid: Option<MessageUuid>,
    /// When it was written, as ISO 8601. Absent on some notes.
    pub timestamp: Option<String>,
    /// All that the entry says.
    #[wire(extra)]
    pub extra: Extra,
}

#[cfg(feature = "transcript")]
impl SessionStoreEntry {
    /// Reads what the entry says.
    ///
    /// # Errors
    /// Where it is of a known kind and does not fit. A kind that is not known is no error.
    pub fn entry(&self) -> Result<crate::transcript::Entry, serde_json::Error> {
        Json::new(self)?.parse()
    }
}

/// What a store remembers of a session, so that a list of sessions need not read them all.
#[wire(rename_all = "camelCase")]
pub struct SessionSummaryEntry {
    /// The session.
    pub session_id: SessionId,
    /// When it was last written to, by the store's clock, in milliseconds since 1970.
    pub mtime: Number,
    /// What the SDK has gathered. Kept as it is.
    pub data: Map<Json>,
}
