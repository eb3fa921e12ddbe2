//! What becomes of the session: its state, its conversation, its end.

use super::Identity;
use crate::control::SlashCommand;
use crate::store::SessionKey;
use crate::{MessageUuid, SessionId};

/// What a session does.
#[wire(open)]
pub enum SessionState {
    /// Nothing: it waits for a prompt.
    Idle = "idle",
    /// A turn is under way.
    Running = "running",
    /// It waits for the host: a permission, a question.
    RequiresAction = "requires_action",
}

/// The session begins, stops or waits.
///
/// To hosts, only where they ask for it by an environment variable:
/// `CLAUDE_CODE_SDK_READS_SESSION_STATE` (then with `sdk_host_only`) or
/// `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS`. `idle` after a result says that no further turn follows.
#[wire(tag(type = "system", subtype = "session_state_changed"))]
pub struct SessionStateChanged {
    /// What it does from now on.
    pub state: SessionState,
    fields: Identity!(),
    /// The line is for the host's own use, and not to be passed on.
    pub sdk_host_only: Option<bool>,
}

/// Why a conversation began anew.
#[wire(open)]
pub enum ConversationResetTrigger {
    /// `/clear`.
    Clear = "clear",
    /// A plan was accepted, and is carried out without what came before.
    PlanModeExit = "plan_mode_exit",
    /// A fresh session was asked for.
    FreshSession = "fresh_session",
    /// The CLI was being set up.
    Onboarding = "onboarding",
}

/// The conversation begins anew: what came before is forgotten, and costs count from zero.
///
/// To hosts, when it happens. Lines after it have another session id.
#[wire(tag(type = "conversation_reset"))]
pub struct ConversationReset {
    /// The new conversation.
    pub new_conversation_id: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session before.
    pub session_id: SessionId,
    /// Why.
    #[wire(since = "2.1.329")]
    pub trigger: Option<ConversationResetTrigger>,
    /// The prompt that asked for it.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// When, as ISO 8601.
    #[wire(since = "2.1.329")]
    pub timestamp: Option<String>,
    /// `true` where a person sent that prompt. Absent says nothing.
    pub user_message_from_human: Option<bool>,
}

/// The session has other slash commands.
///
/// To hosts, when skills or plugins come or go. The list takes the place of the one before.
#[wire(tag(type = "system", subtype = "commands_changed"))]
pub struct CommandsChanged {
    /// All commands that there are now.
    pub commands: Vec<SlashCommand>,
    fields: Identity!(),
}

/// The process that answers is about to end.
///
/// To hosts of sessions in the cloud.
#[wire(tag(type = "system", subtype = "worker_shutting_down"))]
pub struct WorkerShuttingDown {
    /// Why.
    pub reason: String,
    fields: Identity!(),
}

/// What could not be written.
#[wire(open)]
pub enum LostWrite {
    /// The conversation.
    Transcript = "transcript",
    /// The CLI's own settings.
    GlobalConfig = "global_config",
}

/// Why something could not be written.
#[wire(open)]
pub enum LostWriteError {
    /// The disk is full.
    Enospc = "ENOSPC",
    /// The user's share of the disk is full.
    Edquot = "EDQUOT",
}

/// The conversation goes on, but what is said is not on disk.
///
/// To hosts, when a write fails for want of room.
#[wire(tag(type = "system", subtype = "session_writes_lost"))]
pub struct SessionWritesLost {
    /// Why.
    pub error_code: LostWriteError,
    /// What could not be written.
    pub lost: Vec<LostWrite>,
    fields: Identity!(),
    /// The sessions whose conversation has a gap.
    pub transcript_session_ids: Option<Vec<SessionId>>,
}

/// A piece of the transcript could not be put into the host's own store.
///
/// Made by SDKs, not by the CLI.
#[wire(tag(type = "system", subtype = "mirror_error"))]
pub struct MirrorError {
    /// What went wrong.
    pub error: String,
    /// Where it should have been put.
    pub key: SessionKey,
    fields: Identity!(),
}
