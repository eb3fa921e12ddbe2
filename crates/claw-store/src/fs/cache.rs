//! A cache of the UUIDs in transcripts, so that appends do not read a transcript repeatedly.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use crate::StoreKey;

/// The maximum number of cached UUIDs in all transcripts together. They take about 64 MB of memory.
const MOST: usize = 2_000_000;

/// The UUIDs in the first `length` bytes of a transcript.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The ID of the transcript, from its state file.
    pub(super) id: String,
    pub(super) length: u64,
    uuids: HashSet<u128>,
    keys: [RandomState; 2],
    used: u64,
}

impl Known {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, uuid: &str) {
        self.uuids.insert(self.digest(uuid));
    }

    pub(super) fn has(&self, uuid: &str) -> bool {
        self.uuids.contains(&self.digest(uuid))
    }

    /// Hashes the UUID with random keys of this process. So no writer can construct two UUIDs that have the same hash.
    fn digest(&self, uuid: &str) -> u128 {
        let [one, other] = self.keys.each_ref().map(|keys| keys.hash_one(uuid));
        u128::from(one) << 64 | u128::from(other)
    }
}

/// The cached transcripts. The least recently used ones are evicted first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    transcripts: HashMap<StoreKey, Known>,
    uses: u64,
}

impl Cache {
    /// Takes a transcript out of the cache. The caller returns it with [`put`](Self::put) after its use.
    pub(super) fn take(&mut self, key: &StoreKey) -> Option<Known> {
        self.transcripts.remove(key)
    }

    pub(super) fn put(&mut self, key: &StoreKey, mut known: Known) {
        self.uses += 1;
        known.used = self.uses;
        self.transcripts.insert(key.clone(), known);
        while self.uuids() > MOST {
            let oldest = self.transcripts.iter().min_by_key(|(_, known)| known.used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.transcripts.remove(&key);
        }
    }

    fn uuids(&self) -> usize {
        // A transcript without UUIDs takes memory too, so each transcript is counted like 16 UUIDs.
        self.transcripts
            .values()
            .map(|known| known.uuids.len() + 16)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::SessionRef;

    use super::*;

    #[test]
    fn what_was_used_last_stays() {
        let key = |name: &str| SessionRef::new("p", name).unwrap().main();
        let mut cache = Cache::default();
        let mut large = Known::new("1");
        (0..MOST - 100).for_each(|n| large.add(&n.to_string()));
        assert!(large.has("7") && !large.has("x"));
        cache.put(&key("a"), large);
        cache.put(&key("b"), Known::new("2"));
        let large = cache.take(&key("a")).unwrap();
        cache.put(&key("a"), large);
        let mut more = Known::new("3");
        (0..200).for_each(|n| more.add(&n.to_string()));
        cache.put(&key("c"), more);
        // Evicting only the oldest transcript did not make enough room, so the second oldest was evicted too.
        assert!(cache.take(&key("b")).is_none() && cache.take(&key("a")).is_none());
        assert!(cache.take(&key("c")).is_some());
    }
}
