//! `PushNotification` and `ReadNotifications`: notifications to the user, and notifications to the session.

use crate::Count;

/// The kind of a push notification.
#[wire(open)]
pub enum PushNotificationStatus {
    /// A notification that the user did not ask for.
    Proactive = "proactive",
}

/// The input of the `PushNotification` tool: a notification to the user.
#[wire]
pub struct PushNotificationInput {
    /// The text of the notification. Phones show only about the first 200 characters.
    pub message: String,
    /// The kind of notification.
    pub status: Option<PushNotificationStatus>,
}

/// The reason why no notification was sent.
#[wire(open)]
pub enum PushDisabledReason {
    /// The settings disable push notifications.
    ConfigOff = "config_off",
    /// The user is at the terminal.
    UserPresent = "user_present",
    /// No channel is available to send a notification.
    NoTransport = "no_transport",
}

/// The output of the `PushNotification` tool.
#[wire(rename_all = "camelCase")]
pub struct PushNotificationOutput {
    /// The text of the notification.
    pub message: String,
    /// Whether the notification went to the user's devices.
    pub push_sent: Option<bool>,
    /// Whether the notification was shown on this machine.
    pub local_sent: Option<bool>,
    /// The reason why no notification was sent. Absent if a notification was sent.
    pub disabled_reason: Option<PushDisabledReason>,
    /// The time of sending, in ISO 8601. Absent on results of older CLIs.
    pub sent_at: Option<String>,
}

/// The input of the `ReadNotifications` tool, which has no fields.
#[wire]
pub struct ReadNotificationsInput {}

/// The output of the `ReadNotifications` tool: the notifications that waited for the session.
#[wire]
pub struct ReadNotificationsOutput {
    /// The waiting notifications, as many as fit into one output.
    pub notifications: Vec<SessionNotification>,
    /// The number of notifications that still wait. Another call of the tool returns them.
    pub remaining: Count,
    /// The time at which the notifications were read, by this machine's clock, in RFC 3339. Absent on results of older
    /// CLIs.
    pub read_at: Option<String>,
}

/// A notification to the session.
#[wire]
pub struct SessionNotification {
    /// The ID of the notification. If the notification is delivered more than once, the ID stays the same.
    pub notification_id: String,
    /// The origin of the notification, such as `github_webhook`, `trigger_fire`, `mcp_send_message` or `unknown`.
    pub origin: String,
    /// The time at which Anthropic's server queued the notification, in RFC 3339.
    pub queued_at: String,
    /// The text of the notification.
    pub content: String,
    /// The time at which the notification arrived at the session, by this machine's clock, in RFC 3339. Absent on
    /// results of older CLIs.
    pub arrived_at: Option<String>,
}

#[cfg(test)]
mod tests;
