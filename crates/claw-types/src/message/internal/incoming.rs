//! What comes to a session besides prompts: `bash_command`, `session_notice` and
//! `queued_notification` on its stdin.

use crate::message::Priority;
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
