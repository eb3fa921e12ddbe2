//! Requests to show something: `os_notification`, `set_expanded_view` and `open_message_selector`.

use super::Identity;

/// A notification for the operating system to show.
///
/// The CLI sends this message when a tool requests a notification, and at the end of a turn. The types of the official
/// SDK do not include this message.
#[wire(tag(type = "os_notification"))]
pub struct OsNotification {
    /// The text of the notification.
    pub message: String,
    /// A code for the event that the notification is about, such as `push_notification`.
    pub notification_type: String,
    fields: Identity!(),
}

/// A panel beside the conversation.
#[wire(open)]
pub enum ExpandedView {
    /// No panel is open.
    None = "none",
    /// The panel that shows the tasks.
    Tasks = "tasks",
    /// The panel that shows the members of the team.
    Teammates = "teammates",
}

/// A request to show a different panel (the expanded view) beside the conversation. The types of the official SDK do
/// not include this message.
#[wire(tag(type = "set_expanded_view"))]
pub struct SetExpandedView {
    /// The panel to show. With `none`, no panel is shown.
    pub expanded_view: ExpandedView,
    fields: Identity!(),
}

/// A request to let the person choose a message to rewind to.
///
/// The CLI sends this message when the person enters `/rewind`. The types of the official SDK do
/// not include this message.
#[wire(tag(type = "open_message_selector"))]
pub struct OpenMessageSelector {
    fields: Identity!(),
}
