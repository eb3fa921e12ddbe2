//! The difference between a session on disk and the same session in a store.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use claw_sessions::{Entries, Session};

use super::lines::{Allowance, Loading};
use super::{StoredError, StoredSessions};
use crate::{Line, SessionRef, pool};

/// The difference between a session on disk and the same session in a store. It consists of the number of conversation
/// entries that only the disk has, and the number that only the store has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of entries that only the disk has.
    pub only_here: u64,
    /// The number of entries that only the store has.
    pub only_there: u64,
}

impl Difference {
    /// Whether the conversation was continued on both sides. The disk then has entries that the store lacks, and the
    /// store has entries that the disk lacks.
    pub fn is_diverged(self) -> bool {
        self.only_here > 0 && self.only_there > 0
    }
}

impl StoredSessions {
    /// Compares the main transcript of a session on disk with the one in the store, by the UUIDs of their entries. This
    /// needs about 50 bytes of memory for each entry.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store, and with [`StoredError::Sessions`] if the
    /// transcript on disk cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn compare(
        &self,
        here: &Session,
        there: &SessionRef,
    ) -> Result<Difference, StoredError> {
        let key = there.main();
        let mut left = Allowance::new(there, self.limits);
        let mut loading = Loading::new(&*self.store, &key);
        let keys = [RandomState::new(), RandomState::new()];
        let digest = move |uuid: &str| {
            let [one, other] = keys.each_ref().map(|key| u128::from(key.hash_one(uuid)));
            one << 64 | other
        };
        let mut stored = HashSet::new();
        while let Some(line) = loading.next(&mut left).await? {
            stored.extend(line.uuid().map(&digest));
        }
        let path = here.transcript().to_owned();
        let compared = pool::run(move || {
            let mut only_here = 0;
            let mut entries = Entries::open(&path)?;
            while let Some(entry) = entries.next().transpose()? {
                // Invalid lines are not compared. An import reports them.
                let line = entry.raw().and_then(|raw| Line::from_bytes(raw).ok());
                if let Some(uuid) = line.as_ref().and_then(Line::uuid) {
                    only_here += u64::from(!stored.remove(&digest(uuid)));
                }
            }
            Ok::<_, claw_sessions::Error>(Difference {
                only_here,
                only_there: stored.len() as u64,
            })
        });
        Ok(compared.await?)
    }
}
