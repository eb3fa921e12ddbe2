//! Changes to the session: its state, its conversation and its end.

use super::Identity;
use crate::control::SlashCommand;
use crate::store::SessionKey;
use crate::{MessageUuid, SessionId};

/// The state of a session.
#[wire(open)]
pub enum SessionState {
    /// The session is idle: it waits for a prompt.
    Idle = "idle",
    /// A turn is running.
    Running = "running",
    /// The session waits for the host: for a permission or an answer to a question.
    RequiresAction = "requires_action",
}

/// A change to the session's state: running, idle or waiting for the host.
///
/// The CLI sends this message only if one of two environment variables requests it:
/// `CLAUDE_CODE_SDK_READS_SESSION_STATE` or `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS`. With the first variable, the
/// message has the field `sdk_host_only`. The state `idle` after a result means that no further turn follows.
#[wire(tag(type = "system", subtype = "session_state_changed"))]
pub struct SessionStateChanged {
    /// The new state of the session.
    pub state: SessionState,
    fields: Identity!(),
    /// Whether the message is for the host only. If so, the host must not forward the message.
    pub sdk_host_only: Option<bool>,
}

/// The reason why a new conversation began.
#[wire(open)]
pub enum ConversationResetTrigger {
    /// The user entered `/clear`.
    Clear = "clear",
    /// The session left plan mode, and the user chose to clear the earlier conversation.
    PlanModeExit = "plan_mode_exit",
    /// The CLI started a fresh session in order to carry out an approved plan.
    FreshSession = "fresh_session",
    /// The user went through the CLI's introduction (onboarding) again.
    Onboarding = "onboarding",
}

/// The start of a new conversation in the same process. The model no longer knows the earlier conversation, and costs
/// are counted from zero again.
///
/// The CLI sends this message when the new conversation begins. Later messages have another session ID.
#[wire(tag(type = "conversation_reset"))]
pub struct ConversationReset {
    /// The ID of the new conversation.
    pub new_conversation_id: String,
    /// The UUID of this message.
    pub uuid: MessageUuid,
    /// The ID that the session had before the reset.
    pub session_id: SessionId,
    /// The reason for the reset.
    #[wire(since = "2.1.329")]
    pub trigger: Option<ConversationResetTrigger>,
    /// The UUID of the prompt that requested the reset.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// The time of the reset, in ISO 8601.
    #[wire(since = "2.1.329")]
    pub timestamp: Option<String>,
    /// Whether a person sent the prompt that requested the reset. Absent if the sender is not known.
    pub user_message_from_human: Option<bool>,
}

/// A change to the list of the session's slash commands.
///
/// The CLI sends this message when skills or plugins are added or removed. The list replaces the
/// previous list.
#[wire(tag(type = "system", subtype = "commands_changed"))]
pub struct CommandsChanged {
    /// All slash commands that are now available.
    pub commands: Vec<SlashCommand>,
    fields: Identity!(),
}

/// An announcement that the process that runs the session is about to end.
///
/// The CLI sends this message only in cloud sessions.
#[wire(tag(type = "system", subtype = "worker_shutting_down"))]
pub struct WorkerShuttingDown {
    /// A code for the reason why the process ends, such as `host_exit`.
    pub reason: String,
    fields: Identity!(),
}

/// A kind of data that the CLI could not write to disk.
#[wire(open)]
pub enum LostWrite {
    /// The transcript of the conversation.
    Transcript = "transcript",
    /// The CLI's own settings.
    GlobalConfig = "global_config",
}

/// The reason why the CLI could not write data to disk.
#[wire(open)]
pub enum LostWriteError {
    /// The disk is full.
    Enospc = "ENOSPC",
    /// The user's disk quota is used up.
    Edquot = "EDQUOT",
}

/// A report that the session could not be written to disk. The conversation continues.
///
/// The CLI sends this message when a write fails because the disk has no space left.
#[wire(tag(type = "system", subtype = "session_writes_lost"))]
pub struct SessionWritesLost {
    /// The reason why the write failed.
    pub error_code: LostWriteError,
    /// The kinds of data that could not be written.
    pub lost: Vec<LostWrite>,
    fields: Identity!(),
    /// The IDs of the sessions whose transcripts lack entries because of the failure.
    pub transcript_session_ids: Option<Vec<SessionId>>,
}

/// A failure to write a part of the transcript to the host's session store.
///
/// The CLI does not send this message. An SDK creates it and passes it to the application.
#[wire(tag(type = "system", subtype = "mirror_error"))]
pub struct MirrorError {
    /// A description of the failure.
    pub error: String,
    /// The key under which the transcript entries should have been stored.
    pub key: SessionKey,
    fields: Identity!(),
}
