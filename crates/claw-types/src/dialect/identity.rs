//! The IDs of older messages, as far as they have them.

/// The IDs of an older message and its session.
#[wire(fields)]
pub(super) struct OldIdentity {
    /// The UUID of the message.
    pub uuid: Option<crate::MessageUuid>,
    /// The ID of the session.
    pub session_id: Option<crate::SessionId>,
}
