//! One writer for a session.

use std::fmt;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{SessionRef, StoreError};

/// The claims of a store: who may write a session.
///
/// A claim has an owner, an epoch and a time to live, by the store's clock alone: the clocks of hosts do not matter.
/// Whoever has a claim renews it in time, and gives the epoch with each [`Batch`](crate::Batch). The store refuses a
/// batch whose epoch is not the newest, so that a host which was stopped and goes on cannot write any more.
pub trait Claims: Send + Sync {
    /// Takes the session. Each success has a higher epoch than all before it, also after the session was deleted. An
    /// owner that has the session already takes it again, with a new epoch.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`] while another owner has it.
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreError>>;

    /// Keeps a claim for this long from now on. A claim whose time is over is renewed as well, if nobody has taken the
    /// session since.
    ///
    /// # Errors
    ///
    /// [`StoreError::Superseded`] where another owner has taken the session, or the claim was released.
    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Gives the session up at once. Releasing a claim that has ended is not an error.
    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the owner that has the session now, and how long the claim lasts unless it is renewed. `None` if no owner has
    /// the session.
    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>, StoreError>>;
}

/// The number of a claim of a session: 1 or more, and higher than that of each claim before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "it is a number and nothing else")]
pub struct Epoch(pub u64);

/// The owner of a claim: one process. It has an ID that no other process has, and a name that people read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Owner {
    /// An ID that no other process has.
    pub id: String,
    /// What a person reads: such as the host, the process and the address of a server.
    pub name: String,
}

impl Owner {
    /// An owner with a new ID.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            id: uuid::Uuid::new_v4().to_string(),
            name: name.into(),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Another host gave the name: nothing of it may act on a terminal.
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

/// A session that was taken. It ends by [`Claims::release`], or by itself when its time is over.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claim {
    /// The session.
    pub session: SessionRef,
    /// Who has it.
    pub owner: Owner,
    /// Its number.
    pub epoch: Epoch,
    /// A moment by this host's clock until which nobody else can have taken the session: counted from before the store
    /// was asked. What writes the session has to have ended by then, unless the claim was renewed.
    pub until: Instant,
}

impl Claim {
    /// A claim that a store has just granted. `asked` is the moment before the store was asked.
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
