//! The lines of a transcript that a store already contains.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use crate::stored::StoredError;
use crate::stored::checkout::{is_agent_metadata, without_type};
use crate::stored::lines::{Allowance, Loading};
use crate::{Line, ReadSessions, StoreKey};

/// The lines of a transcript in a store. A line with a UUID is recorded by the UUID. A line without a UUID is recorded
/// by its contents, with the number of its copies.
#[derive(Default)]
pub(super) struct Known {
    uuids: HashSet<u128>,
    notes: HashMap<u128, u32>,
    /// The last metadata line. Only the last one has an effect.
    metadata: Option<String>,
    /// The lines of the file that were read so far. Each UUID is mapped to the contents of its line.
    file: HashMap<u128, u128>,
    /// The number of lines in the store.
    pub(super) lines: u64,
    keys: [RandomState; 2],
}

impl Known {
    pub(super) async fn load(
        store: &dyn ReadSessions,
        key: &StoreKey,
        left: &mut Allowance,
    ) -> Result<Self, StoredError> {
        let mut known = Self::default();
        let mut loading = Loading::new(store, key);
        while let Some(line) = loading.next(left).await? {
            known.add(&line);
        }
        Ok(known)
    }

    fn add(&mut self, line: &Line) {
        self.lines += 1;
        if let Some(uuid) = line.uuid() {
            let uuid = self.digest(uuid);
            self.uuids.insert(uuid);
        } else if is_agent_metadata(line) {
            self.metadata = Some(without_type(line));
        } else {
            let note = self.note(line);
            *self.notes.entry(note).or_default() += 1;
        }
    }

    /// Whether the store has this line of the file. Each stored copy of a line without a UUID matches only one line of
    /// the file.
    pub(super) fn has(&mut self, line: &Line) -> bool {
        if let Some(uuid) = line.uuid() {
            return self.uuids.contains(&self.digest(uuid));
        }
        let note = self.note(line);
        let left = self.notes.get_mut(&note).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }

    /// Whether an earlier line of the file has the same UUID as this line, but other contents.
    pub(super) fn is_changed(&mut self, line: &Line) -> bool {
        let Some(uuid) = line.uuid() else {
            return false;
        };
        let (uuid, contents) = (self.digest(uuid), self.digest(line.as_str()));
        *self.file.entry(uuid).or_insert(contents) != contents
    }

    /// Whether this is the newest metadata line in the store.
    pub(super) fn has_metadata(&self, line: &Line) -> bool {
        let known = self.metadata.as_deref();
        known.is_some_and(|known| claw_types::json_equal(known, &without_type(line)))
    }

    /// Returns the digest of the line's contents. The order of members does not change the digest, because some stores
    /// do not preserve that order.
    fn note(&self, line: &Line) -> u128 {
        match serde_json::from_str::<serde_json::Value>(line.as_str()) {
            Ok(value) => self.digest(&value.to_string()),
            Err(_) => self.digest(line.as_str()),
        }
    }

    /// Hashes the text with random keys of this process. So no writer can construct two lines that have the same hash.
    fn digest(&self, text: &str) -> u128 {
        let [one, other] = self.keys.each_ref().map(|keys| keys.hash_one(text));
        u128::from(one) << 64 | u128::from(other)
    }
}
