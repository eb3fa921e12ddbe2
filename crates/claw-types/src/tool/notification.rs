//! `PushNotification` and `ReadNotifications`: notices to a person, and notices to the session.

use crate::Count;

/// What kind of notice it is.
#[wire(open)]
pub enum PushNotificationStatus {
    /// Nobody asked for it.
    Proactive = "proactive",
}

/// What `PushNotification` is given: a notice to the person.
#[wire]
pub struct PushNotificationInput {
    /// What it says. Telephones cut it off after some 200 characters.
    pub message: String,
    /// What kind of notice it is.
    pub status: Option<PushNotificationStatus>,
}

/// Why nothing was sent.
#[wire(open)]
pub enum PushDisabledReason {
    /// The settings say so.
    ConfigOff = "config_off",
    /// The person sits before the screen.
    UserPresent = "user_present",
    /// There is no way to send it.
    NoTransport = "no_transport",
}

/// What `PushNotification` gives.
#[wire(rename_all = "camelCase")]
pub struct PushNotificationOutput {
    /// What the notice says.
    pub message: String,
    /// Whether it went to the person's devices.
    pub push_sent: Option<bool>,
    /// Whether it was shown on this machine.
    pub local_sent: Option<bool>,
    /// Why nothing was sent.
    pub disabled_reason: Option<PushDisabledReason>,
    /// When, as ISO 8601. Absent on results of older CLIs.
    pub sent_at: Option<String>,
}

/// What `ReadNotifications` is given: nothing.
#[wire]
pub struct ReadNotificationsInput {}

/// What `ReadNotifications` gives: the notices that waited for the session.
#[wire]
pub struct ReadNotificationsOutput {
    /// The notices, as many as fit.
    pub notifications: Vec<SessionNotification>,
    /// How many wait still: the tool is called again for them.
    pub remaining: Count,
    /// When they were read, by this machine's clock (RFC 3339). Absent on results of older CLIs.
    pub read_at: Option<String>,
}

/// A notice to the session.
#[wire]
pub struct SessionNotification {
    /// Names it: the same each time that it is delivered.
    pub notification_id: String,
    /// Where it is from: `github_webhook`, `trigger_fire`, `mcp_send_message`, `unknown` ….
    pub origin: String,
    /// When the server took it (RFC 3339).
    pub queued_at: String,
    /// What it says.
    pub content: String,
    /// When it came to the session, by this machine's clock (RFC 3339). Absent on results of older
    /// CLIs.
    pub arrived_at: Option<String>,
}

#[cfg(test)]
mod tests;
