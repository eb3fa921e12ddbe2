//! A cache for the known state of transcripts. Its memory is limited.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_store::adapter::Deadline;
use claw_store::{StoreError, StoreKey};
use tokio::sync::OwnedMutexGuard;

use crate::chain::Chain;

type Shared = Arc<tokio::sync::Mutex<Option<Chain>>>;

pub(crate) struct Cache {
    /// The maximum size of all entries, in bytes.
    limit: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    by_key: HashMap<StoreKey, Slot>,
    bytes: usize,
    /// The number of times that any entry was taken.
    taken: u64,
}

#[derive(Default)]
struct Slot {
    chain: Shared,
    bytes: usize,
    /// The value of `taken` when this entry was last taken.
    at: u64,
}

/// Exclusive access to the cached state of a transcript, for one call of this store.
pub(crate) struct Taken<'a> {
    cache: &'a Cache,
    key: &'a StoreKey,
    chain: OwnedMutexGuard<Option<Chain>>,
}

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            slots: Mutex::default(),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Takes the state of a transcript for exclusive use. Waits until no other call uses it.
    pub(crate) async fn take<'a>(
        &'a self,
        key: &'a StoreKey,
        deadline: Deadline,
    ) -> Result<Taken<'a>, StoreError> {
        let shared = self.shared(key);
        let lock = async { Ok(shared.lock_owned().await) };
        Ok(Taken {
            cache: self,
            key,
            chain: deadline.storing_nothing(lock).await?,
        })
    }

    /// Takes the state of a transcript for exclusive use. Returns `None` if another call uses it.
    pub(crate) fn try_take<'a>(&'a self, key: &'a StoreKey) -> Option<Taken<'a>> {
        Some(Taken {
            cache: self,
            key,
            chain: self.shared(key).try_lock_owned().ok()?,
        })
    }

    fn shared(&self, key: &StoreKey) -> Shared {
        let mut slots = self.slots();
        slots.taken += 1;
        let at = slots.taken;
        let slot = slots.by_key.entry(key.clone()).or_default();
        slot.at = at;
        slot.chain.clone()
    }

    fn settle(&self, key: &StoreKey, bytes: usize) {
        let mut slots = self.slots();
        let slots = &mut *slots;
        if let Some(slot) = slots.by_key.get_mut(key) {
            slots.bytes = slots.bytes - slot.bytes + bytes;
            slot.bytes = bytes;
        }
        while slots.bytes > self.limit {
            // An entry that another call uses, or waits for, must not be removed.
            let unused = slots.by_key.iter().filter(|(other, slot)| {
                let own = usize::from(*other == key);
                Arc::strong_count(&slot.chain) == 1 + own
            });
            let oldest = unused
                .min_by_key(|(_, slot)| slot.at)
                .map(|(key, _)| key.clone());
            let Some(slot) = oldest.and_then(|key| slots.by_key.remove(&key)) else {
                return;
            };
            slots.bytes -= slot.bytes;
        }
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        // No code panics while it holds the lock, so the state is consistent even if the lock is poisoned.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Taken<'_> {
    type Target = Option<Chain>;

    fn deref(&self) -> &Self::Target {
        &self.chain
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.chain
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // A state without parts is removed. There is no part whose absence could later show that the state is out of
        // date.
        self.chain.take_if(|chain| chain.next == 0);
        // An entry without a known state takes memory too, so it is counted as 256 bytes.
        let bytes = self.chain.as_ref().map_or(256, Chain::bytes);
        self.cache.settle(self.key, bytes);
    }
}
