//! What should be shown: `os_notification`, `set_expanded_view` and `open_message_selector`.

use super::Identity;

/// A notification that the system should show.
///
/// When a tool asks for one, and at the end of a turn. In no published type.
#[wire(tag(type = "os_notification"))]
pub struct OsNotification {
    /// The text.
    pub message: String,
    /// What it is about.
    pub notification_type: String,
    fields: Identity!(),
}

/// A panel beside the conversation.
#[wire(open)]
pub enum ExpandedView {
    /// None.
    None = "none",
    /// The tasks.
    Tasks = "tasks",
    /// The members of a team.
    Teammates = "teammates",
}

/// Another panel should be open beside the conversation. In no published type.
#[wire(tag(type = "set_expanded_view"))]
pub struct SetExpandedView {
    /// Which.
    pub expanded_view: ExpandedView,
    fields: Identity!(),
}

/// The person should choose a message to go back to.
///
/// On `/rewind`. In no published type.
#[wire(tag(type = "open_message_selector"))]
pub struct OpenMessageSelector {
    fields: Identity!(),
}
