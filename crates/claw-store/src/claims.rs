//! Claims. A claim allows only one owner at a time to write to a session.

use std::fmt;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{SessionRef, StoreError};

/// The claims of a store. A claim decides which process may write a session.
///
/// A claim has an owner, an epoch and a time to live. Only the store's clock measures the time to live, so the clocks
/// of hosts do not matter. The owner renews its claim in time, and passes the claim's epoch with each
/// [`Batch`](crate::Batch). The store refuses a batch whose epoch is not the newest. So a host that was suspended and
/// resumes later can no longer write.
pub trait Claims: Send + Sync {
    /// Claims the session for `owner`. Each new claim has a higher epoch than all earlier claims on the session, even
    /// after the session was deleted. An owner that has already claimed the session gets a new claim with a new epoch.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Held`] while another owner has claimed the session.
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreError>>;

    /// Extends a claim, so that it lasts for `ttl` from now on. An expired claim can be renewed too, if no other owner
    /// has claimed the session since then.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Superseded`] if another owner has claimed the session, or if the claim was released.
    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Ends the claim at once, so that another owner can claim the session. If the claim has already ended, this is not
    /// an error.
    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the owner that has claimed the session, and the time after which its claim expires if it is not renewed.
    /// Returns `None` if no owner has claimed the session.
    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>, StoreError>>;
}

/// The number of a claim on a session: 1 or more, and higher than the number of each earlier claim on the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "it is a number and nothing else")]
pub struct Epoch(pub u64);

/// The owner of a claim: one process. It has an ID that no other process has, and a name for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Owner {
    /// An ID that no other process has.
    pub id: String,
    /// A name for people to read, such as the host and the process.
    pub name: String,
    /// The address at which the other hosts of the store reach the owner, such as `http://10.0.0.5:8000`. `None` if
    /// they cannot reach it. Anyone who can write to the store can set this address, so check it before you use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

impl Owner {
    /// Creates an owner with this name and a new ID.
    pub fn new(name: impl Into<String>) -> Self {
        Self::known(uuid::Uuid::new_v4().to_string(), name)
    }

    /// Creates an owner from the ID and name that a store has recorded. It has no address.
    pub fn known(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            address: None,
        }
    }

    /// Sets the address at which the other hosts of the store reach the owner. The address may have at most 1,024
    /// bytes.
    #[must_use]
    pub fn at(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Another host chose the name. It is escaped, so that control characters do not reach a terminal.
        for char in self.name.chars() {
            if char.is_control() {
                write!(f, "{}", char.escape_debug())?;
            } else {
                write!(f, "{char}")?;
            }
        }
        Ok(())
    }
}

/// A claim on a session: until it ends, no other owner can claim the session. It ends with [`Claims::release`], or when
/// its time to live expires.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claim {
    /// The claimed session.
    pub session: SessionRef,
    /// The owner that has claimed the session.
    pub owner: Owner,
    /// The number of the claim. Each new claim on a session has a higher number, and a writer with a lower number can
    /// no longer append.
    pub epoch: Epoch,
    /// The time, by this host's clock, until which no other owner can claim the session: the time of the request for
    /// the claim, plus the time to live. The owner must stop writing to the session by then, unless it has renewed the
    /// claim.
    pub until: Instant,
}

impl Claim {
    /// Creates a claim that a store has just granted. `asked` is the time, by this host's clock, just before the
    /// request was sent to the store.
    pub fn granted(
        session: SessionRef,
        owner: Owner,
        epoch: Epoch,
        asked: Instant,
        ttl: Duration,
    ) -> Self {
        Self {
            session,
            owner,
            epoch,
            until: asked.checked_add(ttl).unwrap_or(asked),
        }
    }
}
