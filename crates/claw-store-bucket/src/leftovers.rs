//! Objects that no session uses.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use claw_store::adapter::Deadline;
use claw_store::{Leftover, LeftoverState, SessionRef, StoreError, StoreKey};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use object_store::path::Path;

use crate::Store;
use crate::chain::Listed;
use crate::part::Head;
use crate::paths::{Purpose, part};
use crate::requests::milliseconds;
use crate::session::{Record, Transcript, name};

/// The age from which on a temporary object is regarded as left behind by a killed process. A call needs such an object
/// for a moment.
const OLD: Duration = Duration::from_hours(24);

/// The maximum number of unknown objects that are named. The others are only counted.
const NAMED: usize = 100;

/// The number of sessions that are examined concurrently.
const AT_ONCE: usize = 8;

/// The unit of all leftovers in a bucket.
const UNIT: &str = "object";

/// The number of objects and their size.
#[derive(Default, Clone, Copy)]
struct Size {
    count: u64,
    bytes: u64,
}

/// A transcript with its parts.
struct Parts {
    key: StoreKey,
    folder: Path,
    listed: Vec<Listed>,
    head: Head,
}

impl Size {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn of<'a>(parts: impl IntoIterator<Item = &'a Listed>) -> Self {
        let mut size = Self::default();
        for part in parts {
            size.add(part.size);
        }
        size
    }

    fn leftover(self, place: impl Into<String>, what: &str) -> Leftover {
        let leftover = Leftover::unexplained(place, what, UNIT);
        leftover.of_size(self.count, Some(self.bytes))
    }
}

impl Parts {
    /// Returns the parts that a deletion has not removed. They precede the part that records the deletion.
    fn deleted(&self) -> impl Iterator<Item = &Listed> {
        let end = self.head.from.saturating_sub(1);
        self.listed.iter().filter(move |part| part.number < end)
    }

    fn has_lines(&self) -> bool {
        self.head.lines > 0
    }
}

impl Store {
    pub(crate) async fn find_leftovers(&self, removes: bool) -> Result<Vec<Leftover>, StoreError> {
        self.leftovers_after(OLD, removes).await
    }

    /// Finds the objects that no session uses. A temporary object is one of them from this age on.
    async fn leftovers_after(
        &self,
        age: Duration,
        removes: bool,
    ) -> Result<Vec<Leftover>, StoreError> {
        let deadline = self.requests.deadline();
        let now = self.requests.now(&self.paths.probe()?, deadline).await?;
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let (mut all, mut unnamed, mut probes) = (Vec::new(), Size::default(), Size::default());
        let mut old = Vec::new();
        let mut sessions: BTreeMap<SessionRef, BTreeSet<StoreKey>> = BTreeMap::new();
        let mut objects = self.requests.list(self.paths.root());
        while let Some(meta) = objects.try_next().await? {
            match self.paths.purpose(&meta.location) {
                Some(Purpose::Part(key)) => {
                    let keys = sessions.entry(key.session().clone()).or_default();
                    keys.insert(key);
                }
                Some(Purpose::Probe) if now.saturating_sub(milliseconds(&meta)) >= age => {
                    probes.add(meta.size);
                    old.push(meta.location);
                }
                Some(Purpose::Session(_) | Purpose::Probe) => {}
                None if all.len() < NAMED => {
                    let mut size = Size::default();
                    size.add(meta.size);
                    all.push(size.leftover(meta.location.to_string(), "claw knows no such object"));
                }
                None => unnamed.add(meta.size),
            }
        }
        if unnamed.count > 0 {
            all.push(unnamed.leftover(self.paths.prefix(), "claw knows no such objects"));
        }
        if probes.count > 0 {
            let found = probes.leftover(
                format!("{}/probe", self.paths.prefix()).trim_start_matches('/'),
                "left by processes that ended while they tested the bucket or asked for its time",
            );
            let state = if removes {
                self.requests.delete(old, self.requests.deadline()).await?;
                LeftoverState::Removed
            } else {
                LeftoverState::Removable
            };
            all.push(found.state(state));
        }
        let found = stream::iter(sessions).map(|(session, keys)| async move {
            match self.leftovers_of(&session, keys, removes).await {
                Err(error @ (StoreError::Corrupt(_) | StoreError::Refused(_))) => {
                    let what = format!("it cannot be examined: {error}");
                    Ok(vec![Leftover::unexplained(
                        session.to_string(),
                        what,
                        "session",
                    )])
                }
                found => found,
            }
        });
        let found: Vec<Vec<_>> = found.buffered(AT_ONCE).try_collect().await?;
        all.extend(found.into_iter().flatten());
        Ok(all)
    }

    /// Finds the parts of a session's transcripts that the session does not use.
    async fn leftovers_of(
        &self,
        session: &SessionRef,
        keys: BTreeSet<StoreKey>,
        removes: bool,
    ) -> Result<Vec<Leftover>, StoreError> {
        let deadline = self.requests.deadline();
        let mut transcripts = Vec::new();
        for key in keys {
            let folder = self.paths.transcript(&key)?;
            let listed = self.list_parts(&folder, deadline).await?;
            let head = self.open_chain(&folder, &listed, deadline).await?.head;
            transcripts.push(Parts {
                key,
                folder,
                listed,
                head,
            });
        }
        // The object is read after the parts. A transcript is registered before its first part is written.
        let record = self.seen(session, deadline).await?.record;
        let main = transcripts.iter().find(|it| it.key.subpath().is_none());
        let has_main = main.is_some_and(Parts::has_lines);
        let mut all = Vec::new();
        for found in &transcripts {
            let old = Size::of(found.deleted());
            if old.count > 0 {
                let leftover = old.leftover(found.key.to_string(), "parts of a deleted transcript");
                let remove = async {
                    // The oldest parts are removed first, as by the deletion: a host that has not seen the deletion
                    // looks for the oldest part that it knows.
                    let old = found.deleted().map(|old| part(&found.folder, old.number));
                    self.requests.delete(old.collect(), deadline).await
                };
                all.push(self.removed(leftover, session, removes, remove).await?);
            }
            if let Some(what) = unused(&record, found, has_main) {
                let size = Size::of(&found.listed);
                let leftover = size.leftover(found.key.to_string(), what.text());
                all.push(match what {
                    Unused::Deleted => {
                        let finish = self.finish(&record, &found.key, deadline);
                        self.removed(leftover, session, removes, finish).await?
                    }
                    Unused::Unregistered | Unused::WithoutMain => leftover,
                });
            }
        }
        Ok(all)
    }

    /// Removes a leftover if `removes` is true and no host has claimed the session. Returns it with its state.
    async fn removed(
        &self,
        leftover: Leftover,
        session: &SessionRef,
        removes: bool,
        remove: impl Future<Output = Result<(), StoreError>>,
    ) -> Result<Leftover, StoreError> {
        if !removes {
            return Ok(leftover.state(LeftoverState::Removable));
        }
        if let Some((owner, _)) = self.holder_of(session).await? {
            return Ok(leftover.state(LeftoverState::Claimed(owner)));
        }
        remove.await?;
        Ok(leftover.state(LeftoverState::Removed))
    }

    /// Completes the deletion of a transcript.
    async fn finish(
        &self,
        record: &Record,
        key: &StoreKey,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        if record.is_deleted() {
            return self.delete_for_good(key.session()).await;
        }
        self.end(key, deadline).await?;
        let keys = std::slice::from_ref(key);
        self.end_deleting(key.session(), keys, deadline).await
    }
}

/// The reason why no list and no load of a session uses a transcript with lines.
#[derive(Clone, Copy)]
enum Unused {
    /// The transcript was deleted, and the deletion was interrupted.
    Deleted,
    /// The session's object does not name the transcript.
    Unregistered,
    /// The session has no main transcript.
    WithoutMain,
}

impl Unused {
    fn text(self) -> &'static str {
        match self {
            Self::Deleted => "a transcript whose deletion was interrupted",
            Self::Unregistered => "a transcript that the object of its session does not name",
            Self::WithoutMain => "a transcript of a session that has no main transcript",
        }
    }
}

/// Returns why a transcript is not used. Returns `None` if it is used, or has no lines. `has_main` is whether the main
/// transcript of the session has lines.
fn unused(record: &Record, found: &Parts, has_main: bool) -> Option<Unused> {
    if !found.has_lines() {
        return None;
    }
    match record.transcripts.get(name(&found.key)) {
        // The session is in the list, with its tombstone.
        Some(_) if record.is_deleted() && has_main => None,
        Some(_) if record.is_deleted() => Some(Unused::Deleted),
        Some(Transcript::Deleting) => Some(Unused::Deleted),
        Some(Transcript::Live) if has_main => None,
        Some(Transcript::Live) => Some(Unused::WithoutMain),
        None => Some(Unused::Unregistered),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::memory::InMemory;
    use object_store::{ObjectStore, ObjectStoreExt as _};

    use super::*;

    #[tokio::test]
    async fn temporary_objects_are_left_from_an_age_on() {
        let objects = Arc::new(InMemory::new());
        let store = Store::open(objects.clone()).await.unwrap();
        let probe = store.paths.probe().unwrap();
        objects.put(&probe, "left".into()).await.unwrap();
        assert_eq!(store.find_leftovers(true).await.unwrap(), []);
        let left = |state| {
            let what =
                "left by processes that ended while they tested the bucket or asked for its time";
            let left = Leftover::unexplained("claw/probe", what, UNIT);
            [left.of_size(1, Some(4)).state(state)]
        };
        let found = store.leftovers_after(Duration::ZERO, false).await.unwrap();
        assert_eq!(found, left(LeftoverState::Removable));
        let found = store.leftovers_after(Duration::ZERO, true).await.unwrap();
        assert_eq!(found, left(LeftoverState::Removed));
        assert!(objects.list(None).next().await.is_none());
    }
}
