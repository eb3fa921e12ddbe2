//! Claims. The claim of a session is a hash whose expiry is a time of the server's clock.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use claw_store::adapter::{CLAIM_ATTEMPTS, Deadline, NewestClaim, contended};
use claw_store::{Claim, Epoch, Owner, SessionRef, StoreError};
use redis::Script;

use crate::{Store, Text, number, read, text};

/// The longest time to live, in microseconds. The scripts can calculate exactly only with numbers of up to 53 bits.
const LONGEST: u64 = 1 << 52;

/// Reads the newest claim, and the server's time in microseconds.
static HOLDER: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('HMGET', KEYS[1], 'epoch', 'owner_id', 'owner_name', 'owner_address', 'expires')
        for at = 1, 5 do held[at] = held[at] and string.sub(held[at], 1, 1024) end
        local time = redis.call('TIME')
        return { held, time[1] * 1000000 + time[2] }",
    )
});

/// Claims the session if its epoch is the one that was read, and no other owner holds it. If a request is delayed and
/// repeated, the repetition takes effect first. The delayed request then finds another epoch, and changes nothing.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('HMGET', KEYS[1], 'epoch', 'owner_id', 'expires')
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        if (held[1] or '') ~= ARGV[1] then return 0 end
        if held[3] and held[2] ~= ARGV[3] and (tonumber(held[3]) or 0) > now then return 0 end
        redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'owner_id', ARGV[3], 'owner_name', ARGV[4],
            'owner_address', ARGV[6], 'expires', string.format('%.0f', now + ARGV[5]))
        return 1",
    )
});

/// Changes the expiry of a claim if the claim is the newest one and was not released.
static RENEW: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('HMGET', KEYS[1], 'epoch', 'owner_id', 'owner_name', 'expires')
        if held[1] == ARGV[1] and held[4] then
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            redis.call('HSET', KEYS[1], 'expires', string.format('%.0f', now + ARGV[2]))
            return { 1, {} }
        end
        for at = 1, 3 do held[at] = held[at] and string.sub(held[at], 1, 1024) end
        return { 0, { held[1], held[2], held[3] } }",
    )
});

static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('HGET', KEYS[1], 'epoch') == ARGV[1] then redis.call('HDEL', KEYS[1], 'expires') end
        return 1",
    )
});

/// Parses the newest claim: an epoch, the owner's ID and name, and the owner's address if the script returns it.
pub(crate) fn read_claim(claim: &[Text]) -> Result<NewestClaim, StoreError> {
    let [epoch, id, name, address @ ..] = claim else {
        return Err(StoreError::corrupt("a claim of another shape"));
    };
    let address = address.first().and_then(|address| address.as_deref());
    let owner = id.as_deref().map(|id| {
        let name = name.as_deref().map(text).unwrap_or_default();
        let mut owner = Owner::known(text(id), name);
        owner.address = address.map(text).filter(|address| !address.is_empty());
        owner
    });
    Ok(NewestClaim {
        epoch: Epoch(number(epoch.as_deref())?),
        owner,
    })
}

/// The newest claim, in the form in which the server returns it.
struct Held {
    /// The epoch as the server stores it. The next script compares this text with the stored text.
    epoch: String,
    newest: NewestClaim,
    /// The time at which the claim expires. `None` if the claim was released.
    expires: Option<u64>,
    now: u64,
}

impl Held {
    /// Returns the owner of the claim and its remaining time. Returns `None` if the claim has expired or was released.
    fn current(&self) -> Option<(Owner, Duration)> {
        let left = self
            .expires?
            .checked_sub(self.now)
            .filter(|left| *left > 0)?;
        Some((self.newest.owner.clone()?, Duration::from_micros(left)))
    }

    /// Returns the epoch of the next claim. It is at least the server's time. So it exceeds all earlier epochs even if
    /// the server has lost its last writes.
    fn next(&self) -> Result<u64, StoreError> {
        let next = self.newest.epoch.0.checked_add(1);
        let next = next.ok_or_else(|| StoreError::corrupt("an epoch has no next one"))?;
        Ok(next.max(self.now))
    }
}

impl Store {
    async fn held(&self, deadline: Deadline, session: &SessionRef) -> Result<Held, StoreError> {
        let script = HOLDER.key(self.keys(session).claim());
        let answer = self.server.ask(deadline, &script).await?;
        let (claim, now): (Vec<Text>, u64) = read(answer)?;
        let [claim @ .., expires] = &*claim else {
            return Err(StoreError::corrupt("a claim of another shape"));
        };
        let expires = expires.as_deref();
        Ok(Held {
            epoch: claim[0].as_deref().map(text).unwrap_or_default(),
            newest: read_claim(claim)?,
            expires: expires.map(|end| number(Some(end))).transpose()?,
            now,
        })
    }

    pub(crate) async fn claim_session(
        &self,
        session: &SessionRef,
        owner: &Owner,
        ttl: Duration,
    ) -> Result<Claim, StoreError> {
        let deadline = self.server.deadline();
        for _ in 0..CLAIM_ATTEMPTS {
            let held = self.held(deadline, session).await?;
            if let Some((holder, expires_in)) = held.current()
                && holder.id != owner.id
            {
                return Err(StoreError::Held {
                    owner: holder,
                    expires_in,
                });
            }
            let epoch = held.next()?;
            let asked = Instant::now();
            let mut script = TAKE.key(self.keys(session).claim());
            script
                .arg(held.epoch)
                .arg(epoch)
                .arg(&owner.id)
                .arg(&owner.name)
                .arg(micros(ttl))
                .arg(owner.address.as_deref().unwrap_or_default());
            let answer = self.server.change(deadline, &script).await?;
            if read(answer)? {
                return Ok(Claim::granted(
                    session.clone(),
                    owner.clone(),
                    Epoch(epoch),
                    asked,
                    ttl,
                ));
            }
        }
        Err(contended())
    }

    pub(crate) async fn renew_claim(&self, claim: &Claim, ttl: Duration) -> Result<(), StoreError> {
        let mut script = RENEW.key(self.keys(&claim.session).claim());
        script.arg(claim.epoch.0).arg(micros(ttl));
        let answer = self.server.change(self.server.deadline(), &script).await?;
        let (is_renewed, held): (bool, Vec<Text>) = read(answer)?;
        if is_renewed {
            return Ok(());
        }
        Err(read_claim(&held)?.superseded(claim.epoch))
    }

    pub(crate) async fn release_claim(&self, claim: &Claim) -> Result<(), StoreError> {
        let mut script = RELEASE.key(self.keys(&claim.session).claim());
        script.arg(claim.epoch.0);
        self.server.change(self.server.deadline(), &script).await?;
        Ok(())
    }

    pub(crate) async fn holder_of(
        &self,
        session: &SessionRef,
    ) -> Result<Option<(Owner, Duration)>, StoreError> {
        let held = self.held(self.server.deadline(), session).await?;
        Ok(held.current())
    }
}

fn micros(ttl: Duration) -> u64 {
    let micros = u64::try_from(ttl.as_nanos().div_ceil(1000)).unwrap_or(LONGEST);
    micros.min(LONGEST)
}
