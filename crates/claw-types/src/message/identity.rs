//! The identity of a message.

/// The message's own UUID and its session.
#[wire(fields)]
pub(crate) struct Identity {
    /// The UUID of this message.
    pub uuid: crate::MessageUuid,
    /// The ID of the session that this message belongs to.
    pub session_id: crate::SessionId,
}
