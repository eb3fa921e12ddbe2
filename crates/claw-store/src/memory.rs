//! A store in memory, for tests and for programs that consist of one process.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::future::ready;
use futures::stream::{self, BoxStream, StreamExt as _};

use crate::adapter::{Adapter, ReadAdapter, Result};
use crate::{
    Appended, Batch, Claim, Epoch, Line, ListedSession, Owner, SessionRef, StoreError, StoreKey,
    StoredLine, Subpath, Summary, WriterId,
};

/// The number of lines that [`load`](crate::ReadSessions::load) reads at once.
const CHUNK: usize = 256;

/// A store in memory. It has every capability of [`SessionStore`](crate::SessionStore), and loses all data when it is
/// dropped.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    transcripts: BTreeMap<StoreKey, Transcript>,
    claims: HashMap<SessionRef, Held>,
    /// The sessions that have a tombstone.
    deleted: HashSet<SessionRef>,
    /// The number of appends that have stored lines.
    appends: u64,
}

#[derive(Debug, Default)]
struct Transcript {
    lines: Vec<Line>,
    uuids: HashSet<Box<str>>,
    /// The number of lines that each writer has stored.
    next: HashMap<WriterId, u64>,
    summary: Summary,
    modified: i64,
    /// The number of the newest append to this transcript. All appends of the store are numbered together.
    appended: u64,
}

/// The newest claim of a session.
#[derive(Debug)]
struct Held {
    epoch: Epoch,
    owner: Owner,
    /// The time at which the claim expires. `None` after the claim was released.
    until: Option<Instant>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so the state is consistent even if the lock is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadAdapter for MemoryStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>> {
        let chunks = stream::unfold(0, move |from: usize| {
            let state = self.state();
            let lines = state
                .transcripts
                .get(key)
                .and_then(|found| found.lines.get(from..));
            let lines = lines.unwrap_or_default().iter().take(CHUNK);
            let chunk: Vec<_> = lines
                .enumerate()
                .map(|(at, line)| Ok(StoredLine::new((from + at) as u64, line.clone())))
                .collect();
            let next = from + chunk.len();
            ready((!chunk.is_empty()).then(|| (stream::iter(chunk), next)))
        });
        chunks.flatten().boxed()
    }

    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>> {
        let state = self.state();
        let main = state.transcripts.iter().filter(|(key, _)| {
            key.subpath().is_none()
                && project.is_none_or(|project| key.session().project() == project)
        });
        let listed = main.map(|(key, main)| Ok(state.listed(key.session(), main)));
        let listed: Vec<_> = listed.collect();
        stream::iter(listed).boxed()
    }

    async fn listed(&self, session: &SessionRef) -> Result<Option<ListedSession>> {
        let state = self.state();
        let main = state.transcripts.get(&session.main());
        Ok(main.map(|main| state.listed(session, main)))
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>> {
        let state = self.state();
        let keys = state
            .transcripts
            .keys()
            .filter(|key| key.session() == session);
        Ok(keys.filter_map(|key| key.subpath().cloned()).collect())
    }
}

impl Adapter for MemoryStore {
    const SYSTEM: &'static str = "memory";

    async fn append(&self, key: &StoreKey, batch: Batch<'_>) -> Result<Appended> {
        self.state().append(key, &batch)
    }

    async fn next_number(&self, key: &StoreKey, writer: &WriterId) -> Result<u64> {
        let state = self.state();
        let found = state.transcripts.get(key);
        let next = found.and_then(|found| found.next.get(writer));
        Ok(next.copied().unwrap_or(0))
    }

    async fn delete(&self, key: &StoreKey) -> Result<()> {
        self.state().transcripts.retain(|found, _| {
            found != key && (key.subpath().is_some() || found.session() != key.session())
        });
        Ok(())
    }

    async fn delete_session(&self, session: &SessionRef) -> Result<()> {
        let mut state = self.state();
        state.deleted.insert(session.clone());
        state
            .transcripts
            .retain(|found, _| found.session() != session);
        Ok(())
    }

    async fn is_deleted(&self, session: &SessionRef) -> Result<bool> {
        Ok(self.state().deleted.contains(session))
    }

    async fn claim(&self, session: &SessionRef, owner: &Owner, ttl: Duration) -> Result<Claim> {
        self.state().claim(session, owner, ttl)
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.state().renew(claim, ttl)
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        self.state().release(claim);
        Ok(())
    }

    async fn holder(&self, session: &SessionRef) -> Result<Option<(Owner, Duration)>> {
        let state = self.state();
        Ok(state.claims.get(session).and_then(|held| {
            let expires_in = held.until?.checked_duration_since(Instant::now())?;
            Some((held.owner.clone(), expires_in))
        }))
    }
}

impl State {
    /// Returns the list entry of a session with this main transcript.
    fn listed(&self, session: &SessionRef, main: &Transcript) -> ListedSession {
        let lines = main.lines.iter();
        let sizes = lines.map(|line| line.as_str().len() as u64 + 1);
        ListedSession::new(session.clone(), main.modified)
            .summary(Some(main.summary.clone()))
            .size(Some(sizes.sum()))
            .revision(Some(self.revision(session)))
    }

    /// Returns the revision of a session: the numbers of the newest appends to its transcripts.
    fn revision(&self, session: &SessionRef) -> String {
        let all = self.transcripts.range(session.main()..);
        let own = all.take_while(|(key, _)| key.session() == session);
        let appends = own.map(|(_, transcript)| transcript.appended.to_string());
        appends.collect::<Vec<_>>().join(" ")
    }

    fn append(&mut self, key: &StoreKey, batch: &Batch<'_>) -> Result<Appended> {
        if let Some(epoch) = batch.epoch {
            self.check(key.session(), epoch)?;
        }
        if self.deleted.contains(key.session()) {
            let session = key.session().clone();
            return Err(StoreError::Deleted { session });
        }
        let found = self.transcripts.get(key);
        let next = found
            .and_then(|found| found.next.get(batch.writer))
            .copied();
        let total = found.map_or(0, |found| found.lines.len() as u64);
        let Some(mut planned) = batch.plan(next.unwrap_or(0))? else {
            return Ok(Appended::new(0, total));
        };
        let transcript = self.transcripts.entry(key.clone()).or_default();
        planned.without(|uuid| transcript.uuids.contains(uuid));
        transcript.uuids.extend(planned.uuids().map(Into::into));
        for line in &planned.lines {
            transcript.summary.fold(line);
            transcript.lines.push((*line).clone());
        }
        transcript.next.insert(batch.writer.clone(), planned.next);
        if !planned.lines.is_empty() {
            transcript.modified = now();
            self.appends += 1;
            transcript.appended = self.appends;
        }
        Ok(Appended::new(
            planned.lines.len() as u64,
            transcript.lines.len() as u64,
        ))
    }

    fn check(&self, session: &SessionRef, epoch: Epoch) -> Result<()> {
        let newest = self.claims.get(session);
        let newer = newest.map_or(Epoch(0), |held| held.epoch);
        if newer == epoch {
            return Ok(());
        }
        let owner = newest.map(|held| held.owner.clone());
        Err(StoreError::Superseded {
            epoch,
            newer,
            owner,
        })
    }

    fn claim(&mut self, session: &SessionRef, owner: &Owner, ttl: Duration) -> Result<Claim> {
        let asked = Instant::now();
        let newest = self.claims.get(session);
        if let Some(held) = newest
            && held.owner.id != owner.id
            && let Some(expires_in) = held
                .until
                .and_then(|until| until.checked_duration_since(asked))
        {
            return Err(StoreError::Held {
                owner: held.owner.clone(),
                expires_in,
            });
        }
        let epoch = Epoch(newest.map_or(0, |held| held.epoch.0) + 1);
        let held = Held {
            epoch,
            owner: owner.clone(),
            until: Some(asked + ttl),
        };
        self.claims.insert(session.clone(), held);
        Ok(Claim::granted(
            session.clone(),
            owner.clone(),
            epoch,
            asked,
            ttl,
        ))
    }

    fn renew(&mut self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.check(&claim.session, claim.epoch)?;
        match self.claims.get_mut(&claim.session) {
            Some(Held {
                until: Some(until), ..
            }) => {
                *until = Instant::now() + ttl;
                Ok(())
            }
            _ => Err(StoreError::Superseded {
                epoch: claim.epoch,
                newer: claim.epoch,
                owner: None,
            }),
        }
    }

    fn release(&mut self, claim: &Claim) {
        if let Some(held) = self.claims.get_mut(&claim.session)
            && held.epoch == claim.epoch
        {
            held.until = None;
        }
    }
}

fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
