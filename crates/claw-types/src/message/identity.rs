//! What most lines are known by.

/// Which line it is, and of which session.
#[wire(fields)]
pub(crate) struct Identity {
    /// Names this line.
    pub uuid: crate::MessageUuid,
    /// The session.
    pub session_id: crate::SessionId,
}
