//! Claims. The claim of a session is a row whose expiry is a time of the server's clock.

use std::time::{Duration, Instant};

use claw_store::adapter::{CLAIM_ATTEMPTS, NewestClaim, contended};
use claw_store::{Claim, Epoch, Owner, SessionRef, StoreError};
use futures::future::join;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::failure::unreadable;
use crate::{Param, Store, signed, unsigned};

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

/// Reads the newest claim of a session: its epoch, its owner and the owner's address. Also reads its remaining seconds,
/// unless the claim was released.
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

/// Parses the newest claim from three columns.
pub(crate) fn read_claim(row: &Row, at: usize) -> Result<NewestClaim, StoreError> {
    let epoch = unsigned(row.try_get(at).map_err(unreadable)?)?;
    let id: Option<String> = row.try_get(at + 1).map_err(unreadable)?;
    let name: Option<String> = row.try_get(at + 2).map_err(unreadable)?;
    let owner = id.map(|id| Owner::known(id, name.unwrap_or_default()));
    Ok(NewestClaim {
        epoch: Epoch(epoch),
        owner,
    })
}

/// Returns the owner of the newest claim and its remaining time. Returns `None` if the claim has expired or was
/// released.
fn read_holder(row: &Row) -> Result<Option<(Owner, Duration)>, StoreError> {
    let seconds: Option<f64> = row.try_get(3).map_err(unreadable)?;
    let left = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let address = row.try_get(4).map_err(unreadable)?;
    let owner = read_claim(row, 0)?.owner;
    let owner = owner.map(|mut owner| {
        owner.address = address;
        owner
    });
    Ok(owner.zip(left.filter(|left| !left.is_zero())))
}

impl Store {
    /// Changes a session's claim. Returns the rows that the change returns, and the newest claim after the change.
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

    pub(crate) async fn claim_session(
        &self,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Claim, StoreError> {
        for _ in 0..CLAIM_ATTEMPTS {
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
                .ok_or_else(|| StoreError::corrupt("a claim has no row"))?;
            if let Some((owner, expires_in)) = read_holder(row)? {
                return Err(StoreError::Held { owner, expires_in });
            }
        }
        Err(contended())
    }

    pub(crate) async fn renew_claim(&self, claim: &Claim, ttl: Duration) -> Result<(), StoreError> {
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
            Some(row) => read_claim(row, 0)?,
            None => NewestClaim::default(),
        };
        Err(holder.superseded(claim.epoch))
    }

    pub(crate) async fn release_claim(&self, claim: &Claim) -> Result<(), StoreError> {
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

    pub(crate) async fn holder_of(
        &self,
        session: &SessionRef,
    ) -> Result<Option<(Owner, Duration)>, StoreError> {
        let [project, name] = params(session);
        let params = [(&project as _, Type::TEXT), (&name as _, Type::TEXT)];
        let rows = self.pool.read(&self.schema.sql(HOLDER), &params).await?;
        match rows.first() {
            Some(row) => read_holder(row),
            None => Ok(None),
        }
    }
}

fn params(session: &SessionRef) -> [&str; 2] {
    [session.project(), session.session()]
}
