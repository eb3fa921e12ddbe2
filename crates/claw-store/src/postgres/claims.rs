//! Claims. The claim of a session is in a row that uses the server's clock.

use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt as _, join};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::failure::{corrupt, unreadable};
use super::{Param, PostgresStore, signed, unsigned};
use crate::{Claim, Claims, Epoch, Owner, SessionRef, StoreError};

/// The maximum number of attempts to claim a session whose claim other owners release or lose at the same time.
const TRIES: usize = 5;

const CLAIM: &str = "
    INSERT INTO {s}.sessions AS held (project, session, epoch, owner_id, owner_name, owner_address, expires)
    VALUES ($1, $2, 1, $3, $4, $6, clock_timestamp() + make_interval(secs => $5))
    ON CONFLICT (project, session) DO UPDATE SET
        epoch = held.epoch + 1,
        owner_id = excluded.owner_id,
        owner_name = excluded.owner_name,
        owner_address = excluded.owner_address,
        expires = clock_timestamp() + make_interval(secs => $5)
    WHERE held.owner_id = excluded.owner_id OR held.expires <= clock_timestamp() OR held.expires IS NULL
    RETURNING epoch";

/// Reads the newest claim of a session, its remaining seconds unless it was released, and the owner's address.
const HOLDER: &str = "
    SELECT epoch, left(owner_id, 1024), left(owner_name, 1024),
        extract(epoch FROM expires - clock_timestamp())::float8, left(owner_address, 1024)
    FROM {s}.sessions WHERE project = $1 AND session = $2";

const RENEW: &str = "
    UPDATE {s}.sessions SET expires = clock_timestamp() + make_interval(secs => $4)
    WHERE project = $1 AND session = $2 AND epoch = $3 AND expires IS NOT NULL
    RETURNING 1";

const RELEASE: &str = "
    UPDATE {s}.sessions SET expires = NULL WHERE project = $1 AND session = $2 AND epoch = $3";

/// The newest claim of a session. Epoch 0 if there was none.
#[derive(Default)]
pub(super) struct Holder {
    epoch: u64,
    owner: Option<Owner>,
}

impl Holder {
    /// Parses a claim from three columns.
    pub(super) fn read(row: &Row, at: usize) -> Result<Self, StoreError> {
        let epoch = unsigned(row.try_get(at).map_err(unreadable)?)?;
        let id: Option<String> = row.try_get(at + 1).map_err(unreadable)?;
        let name: Option<String> = row.try_get(at + 2).map_err(unreadable)?;
        let owner = id.map(|id| Owner {
            id,
            name: name.unwrap_or_default(),
            address: None,
        });
        Ok(Self { epoch, owner })
    }

    /// Checks that a claim is the newest one.
    pub(super) fn check(&self, epoch: Epoch) -> Result<(), StoreError> {
        if self.epoch == epoch.0 {
            return Ok(());
        }
        Err(self.superseded(epoch))
    }

    pub(super) fn superseded(&self, epoch: Epoch) -> StoreError {
        StoreError::Superseded {
            epoch,
            newer: Epoch(self.epoch),
            owner: self.owner.clone(),
        }
    }

    /// Returns the owner and the remaining time of the claim, if it is current.
    fn current(self, row: &Row) -> Result<Option<(Owner, Duration)>, StoreError> {
        let seconds: Option<f64> = row.try_get(3).map_err(unreadable)?;
        let left = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let address = row.try_get(4).map_err(unreadable)?;
        let owner = self.owner.map(|owner| Owner { address, ..owner });
        Ok(owner.zip(left.filter(|left| !left.is_zero())))
    }
}

impl PostgresStore {
    /// Changes a session's claim. Returns the rows of the change, and the newest claim after it.
    async fn change_claim(
        &self,
        change: &str,
        params: &[Param<'_>],
    ) -> Result<(Vec<Row>, Vec<Row>), StoreError> {
        let deadline = self.pool.deadline();
        let lease = self.pool.lease(deadline).await?;
        let (change, holder) = (self.schema.sql(change), self.schema.sql(HOLDER));
        let both = async {
            let (changed, holder) = join(
                lease.query(&change, params),
                lease.query(&holder, &params[..2]),
            )
            .await;
            Ok((changed?, holder?))
        };
        let done = deadline.storing(lease.transact(both)).await?;
        lease.keep();
        Ok(done)
    }

    async fn take(
        &self,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Claim, StoreError> {
        for _ in 0..TRIES {
            let asked = Instant::now();
            let seconds = ttl.as_secs_f64();
            let [project, name] = params(session);
            let params = [
                (&project as _, Type::TEXT),
                (&name as _, Type::TEXT),
                (&owner.id as _, Type::TEXT),
                (&owner.name as _, Type::TEXT),
                (&seconds as _, Type::FLOAT8),
                (&owner.address as _, Type::TEXT),
            ];
            let (taken, holder) = self.change_claim(CLAIM, &params).await?;
            if let Some(row) = taken.first() {
                let epoch = Epoch(unsigned(row.try_get(0).map_err(unreadable)?)?);
                return Ok(Claim::granted(
                    session.clone(),
                    owner.clone(),
                    epoch,
                    asked,
                    ttl,
                ));
            }
            let row = holder
                .first()
                .ok_or_else(|| corrupt("a claim has no row"))?;
            if let Some((owner, expires_in)) = Holder::read(row, 0)?.current(row)? {
                return Err(StoreError::Held { owner, expires_in });
            }
        }
        Err(StoreError::unavailable(
            "others take the session and give it up all the time",
        ))
    }

    async fn prolong(&self, claim: &Claim, ttl: Duration) -> Result<(), StoreError> {
        let (epoch, seconds) = (signed(claim.epoch.0)?, ttl.as_secs_f64());
        let [project, name] = params(&claim.session);
        let params = [
            (&project as _, Type::TEXT),
            (&name as _, Type::TEXT),
            (&epoch as _, Type::INT8),
            (&seconds as _, Type::FLOAT8),
        ];
        let (renewed, holder) = self.change_claim(RENEW, &params).await?;
        if !renewed.is_empty() {
            return Ok(());
        }
        let holder = match holder.first() {
            Some(row) => Holder::read(row, 0)?,
            None => Holder::default(),
        };
        Err(holder.superseded(claim.epoch))
    }

    async fn give_up(&self, claim: &Claim) -> Result<(), StoreError> {
        let epoch = signed(claim.epoch.0)?;
        let [project, name] = params(&claim.session);
        let params = [
            (&project as _, Type::TEXT),
            (&name as _, Type::TEXT),
            (&epoch as _, Type::INT8),
        ];
        self.change_claim(RELEASE, &params).await?;
        Ok(())
    }

    async fn current_holder(
        &self,
        session: &SessionRef,
    ) -> Result<Option<(Owner, Duration)>, StoreError> {
        let [project, name] = params(session);
        let params = [(&project as _, Type::TEXT), (&name as _, Type::TEXT)];
        let rows = self.pool.read(&self.schema.sql(HOLDER), &params).await?;
        match rows.first() {
            Some(row) => Holder::read(row, 0)?.current(row),
            None => Ok(None),
        }
    }
}

fn params(session: &SessionRef) -> [&str; 2] {
    [session.project(), session.session()]
}

impl Claims for PostgresStore {
    fn claim<'a>(
        &'a self,
        session: &'a SessionRef,
        owner: &'a Owner,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreError>> {
        self.take(session, owner, ttl).boxed()
    }

    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.prolong(claim, ttl).boxed()
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<(), StoreError>> {
        self.give_up(claim).boxed()
    }

    fn holder<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>, StoreError>> {
        self.current_holder(session).boxed()
    }
}
