//! Loads the lines of a transcript in chunks.

use claw_sessions::Entries;

use super::locked::{Inner, line};
use crate::{StoreError, StoreKey, StoredLine};

/// The maximum number of lines in a chunk. A chunk also ends when it reaches `BYTES`.
const LINES: usize = 256;
const BYTES: u64 = 1 << 20;

/// A transcript that is being read.
pub(super) struct Loading {
    key: StoreKey,
    entries: Entries,
    position: u64,
    /// The number of lines that the store knew when the load began. The file may contain further lines that other
    /// programs have written.
    least: u64,
}

impl Loading {
    /// Begins a load. Returns `None` if the transcript does not exist.
    pub(super) fn begin(inner: &Inner, key: StoreKey) -> Result<Option<Self>, StoreError> {
        if !inner.has(&key)? {
            return Ok(None);
        }
        let locked = inner.lock(key.session())?;
        let Some(found) = locked.settle(&key)? else {
            return Ok(None);
        };
        // The load reads only up to the length that the file has now. The session is locked, so the last append is
        // complete.
        let entries = Entries::open(&locked.paths.transcript(&key)?);
        Ok(Some(Self {
            entries: entries.map_err(StoreError::unavailable)?,
            position: 0,
            least: found.state.lines,
            key,
        }))
    }

    /// Returns the next lines. The result is empty at the end.
    pub(super) fn next(mut self) -> (Vec<Result<StoredLine, StoreError>>, Option<Self>) {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while chunk.len() < LINES && bytes < BYTES {
            let entry = match self.entries.next() {
                Some(Ok(entry)) => entry,
                Some(Err(error)) => {
                    chunk.push(Err(StoreError::unavailable(error)));
                    return (chunk, None);
                }
                None => {
                    chunk.extend(self.end().err().map(Err));
                    return (chunk, None);
                }
            };
            bytes += entry.length();
            let Some(raw) = entry.raw() else {
                let (number, key) = (entry.number(), &self.key);
                let what = format!("line {number} of {key} is over the limit of 256 MiB");
                chunk.push(Err(StoreError::corrupt(what)));
                return (chunk, None);
            };
            // Lines that are not JSON objects are skipped, as the CLI does.
            if let Ok(line) = line(raw) {
                chunk.push(Ok(StoredLine::new(self.position, line)));
                self.position += 1;
            }
        }
        (chunk, Some(self))
    }

    fn end(&self) -> Result<(), StoreError> {
        let (found, least) = (self.position, self.least);
        if found < least {
            return Err(StoreError::Incomplete {
                key: self.key.clone(),
                what: format!("its file has {found} of {least} lines"),
            });
        }
        Ok(())
    }
}
