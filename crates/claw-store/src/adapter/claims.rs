//! The newest claim of a session, as a server reports it.

use crate::{Epoch, Owner, StoreError};

/// The maximum number of attempts to claim a session. An attempt fails if another owner takes, releases or loses the
/// claim at the same time.
pub const CLAIM_ATTEMPTS: usize = 5;

/// The newest claim of a session. The epoch is 0 if the session has never been claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "each adapter makes one")]
pub struct NewestClaim {
    /// The epoch of the claim.
    pub epoch: Epoch,
    /// The owner of the claim, if the server knows it.
    pub owner: Option<Owner>,
}

impl Default for NewestClaim {
    fn default() -> Self {
        Self {
            epoch: Epoch(0),
            owner: None,
        }
    }
}

impl NewestClaim {
    /// Checks that a batch has the epoch of the newest claim.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Superseded`] for another epoch.
    pub fn check(&self, epoch: Epoch) -> Result<(), StoreError> {
        if self.epoch == epoch {
            return Ok(());
        }
        Err(self.superseded(epoch))
    }

    /// Returns the error for an epoch that is not the newest one.
    pub fn superseded(&self, epoch: Epoch) -> StoreError {
        StoreError::Superseded {
            epoch,
            newer: self.epoch,
            owner: self.owner.clone(),
        }
    }
}

/// Returns the error for a claim that has failed after [`CLAIM_ATTEMPTS`] attempts.
pub fn contended() -> StoreError {
    StoreError::unavailable("others take the session and give it up all the time")
}
