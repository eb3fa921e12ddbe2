//! What comes to a session besides prompts: `bash_command`, `session_notice` and
//! `queued_notification` on its stdin, and `system` / `peer_message_hold` of what it holds back.

use super::Identity;
use super::Priority;
use crate::{MessageUuid, SessionId, True};

/// To `claude`: a shell command of the person's, run as it stands, without the model and without a
/// permission.
///
/// Written back as a prompt, and answered with what it wrote. From clients of sessions in the cloud
/// that have a terminal. In no published type.
#[wire(tag(type = "bash_command"))]
pub struct BashCommand {
    /// The command.
    pub command: String,
    /// The folder to run it in. Absent: the session's.
    pub cwd: Option<String>,
    /// Names this line.
    pub uuid: Option<MessageUuid>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// To `claude`: something that its model should know, from the server of the session.
///
/// For sessions that help another one. In no published type.
#[wire(tag(type = "session_notice"))]
pub struct SessionNotice {
    /// Names this line.
    pub uuid: MessageUuid,
    /// What sort of notice it is: `peer_notice`, `helper_lifecycle`, `handoff` ….
    pub notice_class: String,
    /// The session that it is about.
    pub from_session_id: SessionId,
    /// The text.
    pub content: String,
    /// That nobody typed it: always `true`.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: True,
    /// How it came in: `mcp_session_notice`.
    pub inbound_origin: String,
    /// The session that it is for.
    pub session_id: Option<SessionId>,
}

/// To `claude`: something that happened elsewhere, for its model to read when it has time.
///
/// For sessions whose server keeps a queue of them: what is not read comes again when the session
/// is resumed. In no published type.
#[wire(tag(type = "queued_notification"))]
pub struct QueuedNotification {
    /// What happened.
    pub notification: NotificationDelivery,
    /// Names this line.
    pub uuid: Option<MessageUuid>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// Something that happened elsewhere.
#[wire]
pub struct NotificationDelivery {
    /// Its name. The same one may come more than once.
    pub notification_id: String,
    /// Where it comes from: `github_webhook`, `trigger_fire`, `mcp_send_message` ….
    pub origin: String,
    /// The text for the model.
    pub content: String,
    /// When to read it.
    pub priority: Priority,
    /// When it was put into the queue, as RFC 3339.
    pub queued_at: String,
    /// Why a trigger fired: `scheduled`, `retry`, `catch_up`, `manual`, `api`, `webhook` ….
    pub fire_reason: Option<String>,
    /// `true` where the session itself made the routine that fired.
    pub own_session_author: Option<bool>,
    /// `true` where the check of the auto mode should see it.
    pub show_to_auto_mode: Option<bool>,
}

/// What becomes of a message from another session.
#[wire(open)]
pub enum PeerHoldState {
    /// It waits.
    Held = "held",
    /// It is let in.
    Released = "released",
    /// It is thrown away.
    Dropped = "dropped",
}

/// How a message from another session came in.
#[wire(open)]
pub enum PeerLane {
    /// By remote control.
    Bridge = "bridge",
    /// On stdin.
    Stdin = "stdin",
    /// By a socket of this machine's.
    Socket = "socket",
}

/// Why a message from another session is held back.
#[wire(open)]
pub enum PeerHoldCause {
    /// A setting of the user's says so.
    ExplicitSetting = "explicit-setting",
    /// A setting of the organisation's says so.
    ManagedSetting = "managed-setting",
    /// A setting of the project's says so.
    RepoSetting = "repo-setting",
    /// The setting is not valid.
    InvalidSetting = "invalid-setting",
    /// The session asks for no permissions.
    BypassDefault = "bypass-default",
    /// The other session's permission mode is not known.
    ModeUnknown = "mode-unknown",
    /// The other session has another permission mode.
    ModeMismatch = "mode-mismatch",
    /// The other session does not say which permission mode it has.
    NoModeAsserted = "no-mode-asserted",
}

/// Why a message from another session is thrown away.
#[wire(open)]
pub enum PeerDropOutcome {
    /// Nobody let it in in time.
    Expired = "expired",
    /// The session does not take it.
    Refused = "refused",
    /// A check on the way in stopped it.
    Dropped = "dropped",
    /// The session ended.
    Discarded = "discarded",
    /// The person declined it.
    Denied = "denied",
}

/// Which check stopped a message from another session.
#[wire(open)]
pub enum PeerDropReason {
    /// There are too many.
    RateLimited = "rate-limited",
    /// It came before.
    Duplicate = "duplicate",
    /// It goes in circles.
    HopLoop = "hop-loop",
    /// It has gone through too many sessions.
    HopRunaway = "hop-runaway",
    /// The queue is full.
    QueueFull = "queue-full",
    /// Its sender could not be verified.
    Unverified = "unverified",
}

/// A message from another session is held back, and the model does not see it yet.
///
/// To hosts, when it is held back and when that is over. In no published type.
#[wire(tag(type = "system", subtype = "peer_message_hold"))]
pub struct PeerMessageHold {
    /// What becomes of it.
    pub state: PeerHoldState,
    /// How it came in.
    pub lane: PeerLane,
    /// The sender's address, as it says itself; may be empty.
    pub from: String,
    fields: Identity!(),
    /// The message, as later lines name it.
    pub message_uuid: Option<MessageUuid>,
    /// The sender's name, as it says itself.
    pub from_name: Option<String>,
    /// Why it is held back. Only with `held`.
    pub cause: Option<PeerHoldCause>,
    /// Why it is thrown away. Only with `dropped`.
    pub outcome: Option<PeerDropOutcome>,
    /// Which check stopped it. Only where the outcome is `dropped`, too.
    pub reason: Option<PeerDropReason>,
}
