//! The failure of a call to a server.

use crate::StoreError;

/// The failure of a call to a server. An adapter converts it to a [`StoreError`], which depends on what the call does.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "each adapter makes one")]
pub struct Failure {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The reason, for a person. It contains no data of the call.
    pub text: String,
}

/// The kind of a [`Failure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each adapter maps all kinds")]
pub enum FailureKind {
    /// The server refused the call, and would refuse it again.
    Refused,
    /// The server refused the call for a temporary reason.
    Busy,
    /// The server holds invalid data.
    Corrupt,
    /// No response arrived.
    Silent,
}

impl Failure {
    /// Creates the failure of a call whose response did not arrive.
    pub fn silent(text: String) -> Self {
        Self {
            kind: FailureKind::Silent,
            text,
        }
    }

    /// Converts the failure to a [`StoreError`], for a call that stores nothing, or that has stored
    /// nothing so far.
    pub fn storing_nothing(self) -> StoreError {
        match self.kind {
            FailureKind::Refused => StoreError::refused(self.text),
            FailureKind::Corrupt => StoreError::corrupt(self.text),
            FailureKind::Busy | FailureKind::Silent => StoreError::unavailable(self.text),
        }
    }

    /// Converts the failure to a [`StoreError`], for a call that stores something. If the server reported the failure,
    /// nothing was stored. If no response arrived, the call may have taken effect.
    pub fn storing(self) -> StoreError {
        match self.kind {
            FailureKind::Silent => StoreError::uncertain(self.text),
            _ => self.storing_nothing(),
        }
    }
}
