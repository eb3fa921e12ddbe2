//! The IDs of elements.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

/// The IDs of elements. Each ID takes only a few bytes. Finding a free ID takes a constant number of steps on average,
/// even if an attacker has chosen the IDs in the messages.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Hashes IDs with a random key, so that no one can construct two IDs with the same hash.
    hasher: RandomState,
    given: HashMap<u64, AssignedId>,
    /// Two counters for tests: the number of IDs that were looked up, and the number of bytes that were hashed for
    /// that.
    #[cfg(test)]
    pub(super) work: (usize, usize),
}

#[derive(Debug, Default)]
struct AssignedId {
    /// Whether an element has this ID.
    is_taken: bool,
    /// The number that was last appended to this ID to form another ID. The number never decreases, so no number is
    /// tried twice.
    last: u64,
}

impl Names {
    /// Whether there is an element with this ID.
    pub(super) fn has(&self, name: &str) -> bool {
        let key = self.hasher.hash_one(name);
        self.given.get(&key).is_some_and(|given| given.is_taken)
    }

    /// Returns this ID if no element has it. Otherwise, returns the ID with a number appended.
    pub(super) fn assign(&mut self, name: String) -> String {
        let key = self.key(&name);
        let given = self.given.entry(key).or_default();
        if !given.is_taken {
            given.is_taken = true;
            return name;
        }
        let mut number = given.last.max(1);
        let free = loop {
            number += 1;
            let free = format!("{name}+{number}");
            let key = self.key(&free);
            let other = self.given.entry(key).or_default();
            if !other.is_taken {
                other.is_taken = true;
                break free;
            }
        };
        self.given.entry(key).or_default().last = number;
        free
    }

    /// Makes the ID of a removed element available again.
    pub(super) fn free(&mut self, name: &str) {
        let key = self.key(name);
        if let Some(given) = self.given.get_mut(&key) {
            given.is_taken = false;
        }
    }

    fn key(&mut self, name: &str) -> u64 {
        #[cfg(test)]
        {
            self.work = (self.work.0 + 1, self.work.1 + name.len());
        }
        self.hasher.hash_one(name)
    }
}

#[cfg(test)]
mod tests;
