//! What older lines are known by, where they are.

/// Which line it is, and of which session.
#[wire(fields)]
pub(super) struct OldIdentity {
    /// Names this line.
    pub uuid: Option<crate::MessageUuid>,
    /// The session.
    pub session_id: Option<crate::SessionId>,
}
