//! Claims. A claim allows only one owner at a time to write to a session. Each new claim has a higher epoch.

use std::time::{Duration, Instant};

use claw_store::adapter::Deadline;
use claw_store::{Claim, Epoch, Owner, SessionRef, StoreError, StoreKey};
use futures::future::FutureExt as _;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::Store;
use crate::part::{Fence, Head, Header};
use crate::session::{Change, Seen};

/// The maximum number of transcripts that a claim closes concurrently.
const AT_ONCE: usize = 16;

impl Store {
    pub(crate) async fn claim_session(
        &self,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Claim, StoreError> {
        let deadline = self.requests.deadline();
        let mut least = Epoch(1);
        loop {
            let seen = self.seen(session, deadline).await?;
            if let Some(holder) = seen.record.holder()
                && holder.id != owner.id
                && let Some(expires_in) = self.left(&seen, deadline).await?
            {
                return Err(StoreError::Held {
                    owner: holder.clone(),
                    expires_in,
                });
            }
            let mut record = seen.record;
            record.epoch = after(record.epoch)?.max(least);
            record.owner = Some(owner.clone());
            record.ttl_ms = millis(ttl);
            record.is_released = false;
            record.renewed = None;
            let (fence, keys) = (
                Fence {
                    epoch: record.epoch,
                    owner: owner.clone(),
                },
                record.keys(session, |_| true)?,
            );
            let asked = Instant::now();
            if !self.write(session, seen.version, record, deadline).await? {
                continue;
            }
            match self.close_all(&keys, &fence, deadline).await {
                Ok(()) => {
                    let (session, owner) = (session.clone(), owner.clone());
                    return Ok(Claim::granted(session, owner, fence.epoch, asked, ttl));
                }
                // There are two possible reasons. Another owner has claimed the session meanwhile, which the next
                // iteration reports. Or the session's object was lost, so its epochs have restarted.
                Err(StoreError::Superseded { newer, .. }) => least = after(newer)?,
                Err(error) => return Err(error.maybe_stored()),
            }
        }
    }

    /// Closes transcripts, so that writers with an older epoch cannot append to them.
    async fn close_all(
        &self,
        keys: &[StoreKey],
        fence: &Fence,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let close = |key| self.close(key, fence, deadline).boxed();
        let closed: Vec<_> = keys.iter().map(close).collect();
        let closed = stream::iter(closed).buffer_unordered(AT_ONCE);
        closed.try_collect().await
    }

    /// Closes a transcript to writers with an older epoch. Creates a part that records the new claim. After this part,
    /// a writer with an older epoch cannot create a part.
    async fn close(
        &self,
        key: &StoreKey,
        fence: &Fence,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let mut taken = self.cache.take(key, deadline).await?;
        let folder = self.paths.transcript(key)?;
        let (chain, is_current) = self.known(&mut taken, &folder, deadline).await?;
        if !is_current {
            self.catch_up(&folder, key, chain, deadline).await?;
        }
        loop {
            if let Some(known) = &chain.head.claim {
                if known == fence {
                    return Ok(());
                }
                if known.epoch >= fence.epoch {
                    return Err(StoreError::Superseded {
                        epoch: fence.epoch,
                        newer: known.epoch,
                        owner: Some(known.owner.clone()),
                    });
                }
            }
            let header = Header::empty(Head {
                claim: Some(fence.clone()),
                ..chain.head.clone()
            });
            if self.put_next(&folder, chain, header, &[], deadline).await? {
                return Ok(());
            }
        }
    }

    /// Returns the remaining time of a claim according to the server's clock. Returns `None` if the claim has expired.
    async fn left(&self, seen: &Seen, deadline: Deadline) -> Result<Option<Duration>, StoreError> {
        let now = self.requests.now(&self.paths.probe()?, deadline).await?;
        Ok(seen.left(now))
    }

    pub(crate) async fn renew_claim(&self, claim: &Claim, ttl: Duration) -> Result<(), StoreError> {
        let deadline = self.requests.deadline();
        self.change(&claim.session, deadline, |record| {
            if record.epoch != claim.epoch || record.holder().is_none() {
                return Err(record.superseded(claim.epoch));
            }
            record.ttl_ms = millis(ttl);
            record.renewed = None;
            Ok(Change::Write(()))
        })
        .await
    }

    pub(crate) async fn release_claim(&self, claim: &Claim) -> Result<(), StoreError> {
        let deadline = self.requests.deadline();
        self.change(&claim.session, deadline, |record| {
            if record.epoch != claim.epoch || record.is_released {
                return Ok(Change::Keep(()));
            }
            record.is_released = true;
            Ok(Change::Write(()))
        })
        .await
    }

    pub(crate) async fn holder_of(
        &self,
        session: &SessionRef,
    ) -> Result<Option<(Owner, Duration)>, StoreError> {
        let deadline = self.requests.deadline();
        let seen = self.seen(session, deadline).await?;
        let Some(holder) = seen.record.holder() else {
            return Ok(None);
        };
        let left = self.left(&seen, deadline).await?;
        Ok(left.map(|left| (holder.clone(), left)))
    }
}

fn after(epoch: Epoch) -> Result<Epoch, StoreError> {
    let next = epoch.0.checked_add(1).map(Epoch);
    next.ok_or_else(|| StoreError::corrupt("an epoch is the last of all"))
}

fn millis(ttl: Duration) -> u64 {
    u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)
}
