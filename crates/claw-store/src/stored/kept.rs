//! Kept entries. Such an entry was only on one host's disk when another host had already continued the session. The
//! store contains it in a separate transcript, and not in the conversation.

use std::collections::HashSet;

use claw_sessions::{Entries, Session};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::import::{Source, sources};
use super::lines::{Allowance, Loading};
use super::{Import, StoredError, StoredSessions};
use crate::{
    Batch, Epoch, Line, SessionRef, StoreError, StoreKey, Subpath, WriterId, is_mirrored, pool,
};

/// The name of the transcript that contains the kept entries.
const NAME: &str = "claw/kept";

/// The maximum number of records in a batch. A batch also ends at about `BYTES` bytes.
const LINES: usize = 500;
const BYTES: usize = 1 << 20;

/// An entry of a session that one host wrote, and that is not part of the conversation. Before the entry was stored,
/// another host had already continued the session. Returned by [`StoredSessions::kept`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Kept {
    /// The host that wrote the entry. This is its address, or the name of the owner of its claims if it has no address.
    pub host: String,
    /// The UUID of the last earlier entry that the store has. `None` if the store has no earlier entry of the
    /// transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The transcript to which the entry belongs. `None` for the main transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The entry, byte for byte as the host's disk had it.
    pub line: String,
}

/// The result of [`StoredSessions::bring`]: what happened to the entries that only the disk had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Brought {
    /// The number of lines that were added to the conversation in the store.
    pub stored: u64,
    /// The number of entries that this call stored separately, because another host had continued the conversation.
    pub kept: u64,
}

impl StoredSessions {
    /// Stores the entries of a session that only this disk has. If the store has no entry that the disk lacks, the
    /// disk's lines are appended to the conversation. If the store has such an entry, another host has continued the
    /// session. The conversation in the store then remains unchanged, and each entry of the disk becomes a
    /// [kept](Self::kept) entry. `host` is the name of the host in the kept entries. `epoch` is the epoch of the
    /// caller's claim.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store, and with [`StoredError::Sessions`] if a transcript
    /// on disk cannot be read. A later call stores the rest.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the lines that were already stored remain in the store. A later call stores the others.
    pub async fn bring(
        &self,
        here: &Session,
        there: &SessionRef,
        host: &str,
        epoch: Option<Epoch>,
    ) -> Result<Brought, StoredError> {
        let difference = self.compare(here, there).await?;
        let mut brought = Brought::default();
        if difference.only_there > 0 {
            let has_main = difference.only_here > 0;
            brought.kept = self.keep(here, has_main, there, host, epoch).await?;
        } else {
            let mut import = Import::new(here).to(there.clone()).limits(self.limits);
            if let Some(epoch) = epoch {
                import = import.epoch(epoch);
            }
            brought.stored = import.run(&*self.store).await?.new;
        }
        Ok(brought)
    }

    /// Returns the kept entries of a session, in the order in which they were stored. Records that cannot be read are
    /// left out.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store, and with [`StoredError::LimitExceeded`] if the entries
    /// exceed the [limits](Self::limits).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn kept(&self, session: &SessionRef) -> Result<Vec<Kept>, StoredError> {
        let key = key_of(session)?;
        let mut left = Allowance::new(session, self.limits);
        let mut lines = self.store.load(&key);
        let (mut kept, mut known) = (Vec::new(), HashSet::new());
        while let Some(stored) = lines.try_next().await? {
            left.take(&stored.line)?;
            let Ok(record) = serde_json::from_str::<Kept>(stored.line.as_str()) else {
                // Skips a record that is damaged or from another version.
                continue;
            };
            // Two processes of a host may have stored the same entry at the same time. It is returned once.
            if known.insert(digest(&record.line)) {
                kept.push(record);
            }
        }
        Ok(kept)
    }

    /// Stores the entries that only the disk has as kept entries. `has_main` is true if the main transcript is
    /// included. Returns the number of entries that were not stored before.
    async fn keep(
        &self,
        here: &Session,
        has_main: bool,
        there: &SessionRef,
        host: &str,
        epoch: Option<Epoch>,
    ) -> Result<u64, StoredError> {
        let session = here.clone();
        let (mut sources, _) = pool::run(move || sources(&session)).await;
        sources.retain(|source| has_main || source.subpath.is_some());
        if sources.is_empty() {
            return Ok(0);
        }
        let kept = self.kept(there).await?;
        let mut known: HashSet<_> = kept.iter().map(|kept| digest(&kept.line)).collect();
        drop(kept);
        let mut left = Allowance::new(there, self.limits);
        let mut sending = Sending::new(key_of(there)?, epoch);
        for source in sources {
            let key = match &source.subpath {
                Some(subpath) => there.at(subpath.clone()),
                None => there.main(),
            };
            let mut stored = HashSet::new();
            let mut loading = Loading::new(&*self.store, &key);
            while let Some(line) = loading.next(&mut left).await? {
                stored.extend(line.uuid().map(digest));
            }
            drop(loading);
            for record in only_here(source, host.to_owned(), stored).await? {
                if known.insert(digest(&record.line)) {
                    sending.add(&record)?;
                    sending.send(self, false).await?;
                }
            }
        }
        sending.send(self, true).await?;
        Ok(sending.count)
    }
}

/// Returns those entries of a transcript that are not among the stored ones. Usually these are few, because the host
/// wrote them after it was last able to reach the store.
async fn only_here(
    source: Source,
    host: String,
    stored: HashSet<u128>,
) -> Result<Vec<Kept>, StoredError> {
    let Source {
        subpath,
        transcript: Some(path),
        ..
    } = source
    else {
        return Ok(Vec::new());
    };
    let transcript = subpath.map(|subpath| subpath.as_str().to_owned());
    let read = pool::run(move || {
        let (mut found, mut after) = (Vec::new(), None);
        let mut entries = Entries::open(&path)?;
        while let Some(entry) = entries.next().transpose()? {
            let raw = entry
                .raw()
                .map(|raw| raw.strip_suffix(b"\r").unwrap_or(raw));
            let Some(line) = raw.and_then(|raw| Line::from_bytes(raw).ok()) else {
                continue;
            };
            let Some(uuid) = line.uuid() else { continue };
            if stored.contains(&digest(uuid)) {
                after = Some(uuid.to_owned());
            } else if is_mirrored(&line) {
                found.push(Kept {
                    host: host.clone(),
                    after: after.clone(),
                    transcript: transcript.clone(),
                    line: line.as_str().to_owned(),
                });
            }
        }
        Ok::<_, claw_sessions::Error>(found)
    });
    Ok(read.await?)
}

/// The records that are collected for the next append.
struct Sending {
    key: StoreKey,
    epoch: Option<Epoch>,
    writer: WriterId,
    number: u64,
    lines: Vec<Line>,
    bytes: usize,
    count: u64,
}

impl Sending {
    fn new(key: StoreKey, epoch: Option<Epoch>) -> Self {
        Self {
            key,
            epoch,
            writer: WriterId::random(),
            number: 0,
            lines: Vec::new(),
            bytes: 0,
            count: 0,
        }
    }

    fn add(&mut self, record: &Kept) -> Result<(), StoreError> {
        let text = serde_json::to_string(record).map_err(StoreError::refused)?;
        self.bytes += text.len();
        self.lines
            .push(Line::new(text).map_err(StoreError::refused)?);
        Ok(())
    }

    async fn send(&mut self, sessions: &StoredSessions, is_last: bool) -> Result<(), StoreError> {
        let is_full = self.lines.len() >= LINES || self.bytes >= BYTES;
        if self.lines.is_empty() || !(is_full || is_last) {
            return Ok(());
        }
        let batch = Batch {
            writer: &self.writer,
            number: self.number,
            lines: &self.lines,
            epoch: self.epoch,
        };
        let appended = sessions.store.append(&self.key, batch).await?;
        self.count += appended.new;
        self.number += self.lines.len() as u64;
        self.lines.clear();
        self.bytes = 0;
        Ok(())
    }
}

fn key_of(session: &SessionRef) -> Result<StoreKey, StoreError> {
    let path = Subpath::new(NAME).map_err(StoreError::refused)?;
    Ok(session.at(path))
}

/// Hashes the text with random keys of this process. So no writer can construct two texts that have the same hash.
fn digest(text: &str) -> u128 {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::LazyLock;
    static KEYS: LazyLock<[RandomState; 2]> =
        LazyLock::new(|| [RandomState::new(), RandomState::new()]);
    let [one, other] = KEYS.each_ref().map(|key| u128::from(key.hash_one(text)));
    one << 64 | other
}
