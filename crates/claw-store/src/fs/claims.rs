//! Claims. Each session has a file that contains its newest claim.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::clock::Moment;
use super::locked::{Inner, Locked};
use super::paths::Paths;
use super::state::{read_json, write_json};
use crate::{Claim, Epoch, Owner, SessionRef, StoreError};

/// The newest claim of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Held {
    epoch: Epoch,
    owner: Owner,
    /// The time at which the claim expires. `None` after the claim was released.
    until: Option<Moment>,
}

impl Held {
    fn expires_in(&self) -> Option<Duration> {
        let (until, now) = (self.until.as_ref()?, Moment::now());
        let left = until.at.checked_sub(now.at).filter(|left| *left > 0)?;
        // `end` has rounded up by a millisecond. This millisecond is subtracted here, so that no claim exceeds its time
        // to live.
        (until.boot == now.boot).then(|| Duration::from_millis(left - 1))
    }
}

fn read(paths: &Paths) -> Result<Option<Held>, StoreError> {
    read_json(&paths.claim())
}

/// Returns the time at which a claim that is granted now expires. The time is rounded up, so that the claim does not
/// expire before its holder expects.
fn end(ttl: Duration) -> Moment {
    let mut now = Moment::now();
    let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
    now.at = now.at.saturating_add(ttl).saturating_add(1);
    now
}

impl Locked<'_> {
    /// Fails if this is not the newest epoch.
    pub(super) fn check(&self, epoch: Epoch) -> Result<(), StoreError> {
        let newest = read(&self.paths)?;
        let newer = newest.as_ref().map_or(Epoch(0), |held| held.epoch);
        if newer == epoch {
            return Ok(());
        }
        Err(StoreError::Superseded {
            epoch,
            newer,
            owner: newest.map(|held| held.owner),
        })
    }

    pub(super) fn claim(
        &self,
        session: &SessionRef,
        owner: Owner,
        ttl: Duration,
    ) -> Result<Claim, StoreError> {
        let asked = Instant::now();
        let newest = read(&self.paths)?;
        if let Some(held) = &newest
            && held.owner.id != owner.id
            && let Some(expires_in) = held.expires_in()
        {
            return Err(StoreError::Held {
                owner: held.owner.clone(),
                expires_in,
            });
        }
        let epoch = Epoch(newest.map_or(0, |held| held.epoch.0) + 1);
        self.write_claim(&Held {
            epoch,
            owner: owner.clone(),
            until: Some(end(ttl)),
        })?;
        Ok(Claim::granted(session.clone(), owner, epoch, asked, ttl))
    }

    pub(super) fn renew(&self, claim: &Claim, ttl: Duration) -> Result<(), StoreError> {
        self.check(claim.epoch)?;
        match read(&self.paths)? {
            Some(held) if held.until.is_some() => self.write_claim(&Held {
                until: Some(end(ttl)),
                ..held
            }),
            _ => Err(StoreError::Superseded {
                epoch: claim.epoch,
                newer: claim.epoch,
                owner: None,
            }),
        }
    }

    pub(super) fn release(&self, claim: &Claim) -> Result<(), StoreError> {
        match read(&self.paths)? {
            Some(held) if held.epoch == claim.epoch && held.until.is_some() => {
                self.write_claim(&Held {
                    until: None,
                    ..held
                })
            }
            _ => Ok(()),
        }
    }

    /// Writes the claim. Always waits until it is on the disk, so that no epoch is granted twice.
    fn write_claim(&self, held: &Held) -> Result<(), StoreError> {
        write_json(&self.paths.claim(), held, true).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => StoreError::refused(error),
            _ => StoreError::uncertain(error),
        })
    }
}

impl Inner {
    pub(super) fn holder(
        &self,
        session: &SessionRef,
    ) -> Result<Option<(Owner, Duration)>, StoreError> {
        let held = read(&Paths::of(&self.root, session)?)?;
        Ok(held.and_then(|held| held.expires_in().map(|left| (held.owner, left))))
    }
}
