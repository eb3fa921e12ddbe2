//! Messages to `claude` that are not prompts: `bash_command`, `session_notice` and `queued_notification`.

use crate::message::Priority;
use crate::{MessageUuid, SessionId, True};

/// A shell command that the person has entered. `claude` runs the command unchanged, without asking the model or
/// requesting permission.
///
/// Clients that have a terminal send this message to sessions in the cloud. `claude` adds the command to the
/// conversation as a prompt, with the command's output as the answer. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "bash_command"))]
pub struct BashCommand {
    /// The shell command.
    pub command: String,
    /// The directory in which to run the command. Absent means the working directory of the session.
    pub cwd: Option<String>,
    /// The UUID of this message.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session.
    pub session_id: Option<SessionId>,
}

/// A notice from another session to the model. Anthropic's server delivers the notice.
///
/// `claude` receives this message in sessions that help another session. The types of the official
/// SDK do not include this message.
#[wire(tag(type = "session_notice"))]
pub struct SessionNotice {
    /// The UUID of this message.
    pub uuid: MessageUuid,
    /// The kind of the notice, such as `peer_notice`, `helper_lifecycle` or `handoff`.
    pub notice_class: String,
    /// The ID of the session that sent the notice. Anthropic's server has verified this ID.
    pub from_session_id: SessionId,
    /// The text of the notice.
    pub content: String,
    /// Always `true`: no person typed the notice.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: True,
    /// The way in which the notice arrived: `mcp_session_notice`.
    pub inbound_origin: String,
    /// The ID of the session that the notice is for.
    pub session_id: Option<SessionId>,
}

/// A notification about an event that happened outside of the session. The CLI keeps the notification until the model
/// reads it.
///
/// `claude` receives this message in sessions for which Anthropic's server keeps a queue of notifications. The server
/// sends unread notifications again when the session is resumed. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "queued_notification"))]
pub struct QueuedNotification {
    /// The notification to deliver.
    pub notification: NotificationDelivery,
    /// The UUID of this message.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session.
    pub session_id: Option<SessionId>,
}

/// A notification that informs the model about an event outside of the session, such as a webhook or a trigger.
#[wire]
pub struct NotificationDelivery {
    /// The ID of the notification. Anthropic's server can deliver the same notification more than once.
    pub notification_id: String,
    /// The origin of the notification, such as `github_webhook`, `trigger_fire` or
    /// `mcp_send_message`.
    pub origin: String,
    /// The text of the notification, which the model reads.
    pub content: String,
    /// The priority of the notification, which determines when a turn takes the notification from the queue.
    pub priority: Priority,
    /// The time at which Anthropic's server queued the notification, in RFC 3339.
    pub queued_at: String,
    /// The reason why a trigger fired, such as `scheduled`, `retry`, `catch_up`, `manual`, `api` or
    /// `webhook`.
    pub fire_reason: Option<String>,
    /// Whether this session itself created the scheduled routine that fired.
    pub own_session_author: Option<bool>,
    /// Whether the automatic permission check of the permission mode `auto` may see the notification. Sent only for a
    /// message from another session.
    pub show_to_auto_mode: Option<bool>,
}
