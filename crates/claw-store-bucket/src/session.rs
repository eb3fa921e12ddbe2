//! The object of a session. It contains the session's newest claim and the list of its transcripts.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use claw_store::adapter::Deadline;
use claw_store::{Epoch, Owner, SessionRef, StoreError, StoreKey, Subpath};
use object_store::UpdateVersion;
use serde::{Deserialize, Serialize};

use crate::Store;
use crate::part::Fence;

/// The maximum size of the object, in bytes.
const LIMIT: usize = 16 << 20;

/// The format of a session's object.
const FORMAT: u32 = 1;

/// The format of a session's object after the session was deleted. Objects with a higher format number are refused. A
/// version of claw that does not know tombstones refuses this format, so it cannot recreate the session.
const DELETED: u32 = 2;

/// A time that is added to the time to live of a claim when its expiry is computed. It is necessary because object
/// stores round times to seconds, and the clocks of their machines differ slightly.
pub(crate) const MARGIN: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    /// An ID that is new for each write, so that no two versions of the object have the same tag. A writer that
    /// received no response recognises its own write by the ID.
    revision: String,
    /// The epoch of the newest claim. 0 if there was none.
    pub(crate) epoch: Epoch,
    pub(crate) owner: Option<Owner>,
    pub(crate) ttl_ms: u64,
    pub(crate) is_released: bool,
    /// The time of the server's clock at which the claim was last renewed. `None` means the time at which the object
    /// was written.
    pub(crate) renewed: Option<i64>,
    /// The transcripts by subpath. The subpath of the main transcript is empty.
    pub(crate) transcripts: BTreeMap<String, Transcript>,
}

/// The state of a transcript in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Transcript {
    Live,
    /// The transcript is being deleted, or its deletion was interrupted.
    Deleting,
}

/// A session's object, as it was read.
pub(crate) struct Seen {
    pub(crate) record: Record,
    pub(crate) version: Option<UpdateVersion>,
    /// The time of the server's clock at which the object was written, in milliseconds since 1970.
    modified: i64,
}

/// The result of a function that changes a record.
pub(crate) enum Change<T> {
    /// The record is unchanged.
    Keep(T),
    /// The record has changed and must be written.
    Write(T),
}

impl Record {
    fn new() -> Self {
        Self {
            format: FORMAT,
            revision: String::new(),
            epoch: Epoch(0),
            owner: None,
            ttl_ms: 0,
            is_released: false,
            renewed: None,
            transcripts: BTreeMap::new(),
        }
    }

    /// Returns the owner of the newest claim, unless the claim was released. The claim may have expired.
    pub(crate) fn holder(&self) -> Option<&Owner> {
        self.owner.as_ref().filter(|_| !self.is_released)
    }

    /// Whether the session has a tombstone.
    pub(crate) fn is_deleted(&self) -> bool {
        self.format == DELETED
    }

    /// Returns the newest claim in the form in which parts record it.
    pub(crate) fn fence(&self) -> Option<Fence> {
        Some(Fence {
            epoch: self.epoch,
            owner: self.owner.clone()?,
        })
    }

    /// Returns the error for an epoch that is not the newest one, or whose claim was released.
    pub(crate) fn superseded(&self, epoch: Epoch) -> StoreError {
        StoreError::Superseded {
            epoch,
            newer: self.epoch,
            owner: self.owner.clone().filter(|_| self.epoch != epoch),
        }
    }

    /// Returns the transcripts whose state in this record satisfies `is`.
    pub(crate) fn keys(
        &self,
        session: &SessionRef,
        is: impl Fn(Transcript) -> bool,
    ) -> Result<Vec<StoreKey>, StoreError> {
        let named = self.transcripts.iter().filter(|(_, state)| is(**state));
        let keys = named.map(|(subpath, _)| match &**subpath {
            "" => Ok(session.main()),
            subpath => Ok(session.at(Subpath::new(subpath).map_err(StoreError::corrupt)?)),
        });
        keys.collect()
    }
}

impl Seen {
    /// Returns the remaining time of the claim. `now` is the time of the server's clock.
    pub(crate) fn left(&self, now: i64) -> Option<Duration> {
        let since = self.record.renewed.unwrap_or(self.modified);
        let ttl = Duration::from_millis(self.record.ttl_ms);
        let end =
            i128::from(since) + i128::try_from((ttl + MARGIN).as_millis()).unwrap_or(i128::MAX / 2);
        let left = u64::try_from(end - i128::from(now)).ok()?;
        // A claim lasts for its time to live and a margin. The margin is not reported, because the holder itself knows
        // only the time to live.
        (left > 0).then(|| Duration::from_millis(left).min(ttl))
    }
}

/// Returns the name of a transcript in a record.
pub(crate) fn name(key: &StoreKey) -> &str {
    key.subpath().map_or("", Subpath::as_str)
}

impl Store {
    /// Reads the object of a session. If it does not exist, returns a new record.
    pub(crate) async fn seen(
        &self,
        session: &SessionRef,
        deadline: Deadline,
    ) -> Result<Seen, StoreError> {
        let path = self.paths.session(session)?;
        let Some(object) = self.requests.get(&path, LIMIT, deadline).await? else {
            return Ok(Seen {
                record: Record::new(),
                version: None,
                modified: 0,
            });
        };
        let record: Record = serde_json::from_slice(&object.body).map_err(|_| {
            StoreError::corrupt(format!("the object of {session} is not a session"))
        })?;
        if record.format > DELETED {
            return Err(StoreError::refused(format!(
                "the object of {session} has format {}, which a newer version of claw writes",
                record.format
            )));
        }
        Ok(Seen {
            record,
            version: Some(object.version),
            modified: object.modified,
        })
    }

    /// Writes a record if the version that was read is still the newest one. Returns `false` if another writer has
    /// changed the record since.
    pub(crate) async fn write(
        &self,
        session: &SessionRef,
        version: Option<UpdateVersion>,
        mut record: Record,
        deadline: Deadline,
    ) -> Result<bool, StoreError> {
        record.revision = uuid::Uuid::new_v4().to_string();
        let path = self.paths.session(session)?;
        let body = serde_json::to_vec(&record).map_err(StoreError::refused)?;
        if body.len() > LIMIT {
            return Err(StoreError::refused("the session has too many transcripts"));
        }
        let replaced = self
            .requests
            .replace(&path, Bytes::from(body), version, deadline);
        if replaced.await? {
            return Ok(true);
        }
        // The write failed, but it may have succeeded: the client repeats a request whose response it did not receive.
        // The revision shows who wrote the newest version.
        let now = self.seen(session, deadline).await;
        Ok(now.map_err(StoreError::maybe_stored)?.record.revision == record.revision)
    }

    /// Changes the record of a session. Does not extend the session's claim.
    pub(crate) async fn change<T>(
        &self,
        session: &SessionRef,
        deadline: Deadline,
        mut change: impl FnMut(&mut Record) -> Result<Change<T>, StoreError>,
    ) -> Result<T, StoreError> {
        loop {
            let Seen {
                mut record,
                version,
                modified,
            } = self.seen(session, deadline).await?;
            if record.holder().is_some() {
                record.renewed.get_or_insert(modified);
            }
            match change(&mut record)? {
                Change::Keep(value) => return Ok(value),
                Change::Write(value) => {
                    if self.write(session, version, record, deadline).await? {
                        return Ok(value);
                    }
                }
            }
        }
    }

    /// Registers a transcript in the session's object, if the epoch is the newest one. Returns the newest claim.
    pub(crate) async fn register(
        &self,
        key: &StoreKey,
        epoch: Option<Epoch>,
        deadline: Deadline,
    ) -> Result<Option<Fence>, StoreError> {
        let register = |record: &mut Record| {
            if let Some(epoch) = epoch
                && epoch != record.epoch
            {
                return Err(record.superseded(epoch));
            }
            if record.is_deleted() {
                let session = key.session().clone();
                return Err(StoreError::Deleted { session });
            }
            let fence = record.fence();
            let known = record
                .transcripts
                .insert(name(key).to_owned(), Transcript::Live);
            Ok(if known == Some(Transcript::Live) {
                Change::Keep(fence)
            } else {
                Change::Write(fence)
            })
        };
        self.change(key.session(), deadline, register).await
    }

    /// Leaves a tombstone in the session's object. From now on, no transcript of the session can be registered.
    pub(crate) async fn leave_tombstone(
        &self,
        session: &SessionRef,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let leave = |record: &mut Record| {
            let was = std::mem::replace(&mut record.format, DELETED);
            Ok(if was == DELETED {
                Change::Keep(())
            } else {
                Change::Write(())
            })
        };
        self.change(session, deadline, leave).await
    }

    /// Marks a transcript as being deleted. If `key` is the main transcript, marks all transcripts of the session.
    /// Returns the marked transcripts.
    pub(crate) async fn begin_deleting(
        &self,
        key: &StoreKey,
        deadline: Deadline,
    ) -> Result<Vec<StoreKey>, StoreError> {
        let begin = |record: &mut Record| {
            let mut is_new = false;
            for (subpath, state) in &mut record.transcripts {
                if key.subpath().is_none() || subpath == name(key) {
                    is_new |= *state == Transcript::Live;
                    *state = Transcript::Deleting;
                }
            }
            let mut keys = record.keys(key.session(), |state| state == Transcript::Deleting)?;
            keys.retain(|found| key.subpath().is_none() || found == key);
            Ok(if is_new {
                Change::Write(keys)
            } else {
                Change::Keep(keys)
            })
        };
        self.change(key.session(), deadline, begin).await
    }

    /// Removes deleted transcripts from the record, unless they were created again.
    pub(crate) async fn end_deleting(
        &self,
        session: &SessionRef,
        keys: &[StoreKey],
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let end = |record: &mut Record| {
            let before = record.transcripts.len();
            for key in keys {
                if record.transcripts.get(name(key)) == Some(&Transcript::Deleting) {
                    record.transcripts.remove(name(key));
                }
            }
            Ok(if record.transcripts.len() < before {
                Change::Write(())
            } else {
                Change::Keep(())
            })
        };
        self.change(session, deadline, end).await
    }
}
