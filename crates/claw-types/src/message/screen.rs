//! What should be shown: `os_notification`, `set_expanded_view` and `open_message_selector`.

use claw_types_derive::Wire;

use crate::open_enum::open_enum;
use crate::{Extra, MessageUuid, SessionId};

/// A notification that the system should show.
///
/// When a tool asks for one, and at the end of a turn. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "os_notification"))]
#[non_exhaustive]
pub struct OsNotification {
    /// The text.
    pub message: String,
    /// What it is about.
    pub notification_type: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// A panel beside the conversation.
    ExpandedView {
        /// None.
        None = "none",
        /// The tasks.
        Tasks = "tasks",
        /// The members of a team.
        Teammates = "teammates",
    }
}

/// Another panel should be open beside the conversation. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "set_expanded_view"))]
#[non_exhaustive]
pub struct SetExpandedView {
    /// Which.
    pub expanded_view: ExpandedView,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The person should choose a message to go back to.
///
/// On `/rewind`. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "open_message_selector"))]
#[non_exhaustive]
pub struct OpenMessageSelector {
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
