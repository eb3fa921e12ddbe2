//! Counts the lines that are on this host's disk and not in the store yet.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use claw_store::SessionRef;

use super::lease::lock;

/// How much of the sessions of this host is not in the store yet. Returned by
/// [`StoreOptions::unstored`](super::StoreOptions::unstored).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unstored {
    /// The size in bytes of the lines that running sessions have written and that are not stored.
    pub bytes: u64,
    /// How long the first of these lines has waited. Zero if none waits.
    pub oldest: Duration,
    /// The number of sessions that have ended with lines that are not stored. This host stores them when it can.
    pub left: u64,
}

/// The transcripts and sessions that have lines to store. Shared by the clones of the options.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    transcripts: Mutex<HashMap<PathBuf, Transcript>>,
    left: Mutex<HashSet<SessionRef>>,
}

/// How far a transcript of a running session is stored.
#[derive(Debug, Default)]
struct Transcript {
    /// The position up to which the transcript is stored.
    stored: u64,
    /// The time since which the transcript has lines that are not stored. `None` if everything is stored.
    since: Option<Instant>,
}

impl Waiting {
    /// Records that a transcript has new lines.
    pub(super) fn begins(&self, path: &Path) {
        let mut all = lock(&self.transcripts);
        if !all.contains_key(path) {
            all.insert(path.to_owned(), Transcript::default());
        }
        if let Some(transcript) = all.get_mut(path) {
            transcript.since.get_or_insert_with(Instant::now);
        }
    }

    /// Records that a transcript is stored up to this position.
    pub(super) fn is_stored_to(&self, path: &Path, stored: u64) {
        let mut all = lock(&self.transcripts);
        all.entry(path.to_owned()).or_default().stored = stored;
    }

    /// Records that all lines of a transcript are stored.
    pub(super) fn ends(&self, path: &Path) {
        if let Some(transcript) = lock(&self.transcripts).get_mut(path) {
            transcript.since = None;
        }
    }

    /// Removes the transcripts of a session that has ended.
    pub(super) fn forget<'a>(&self, paths: impl IntoIterator<Item = &'a PathBuf>) {
        let mut all = lock(&self.transcripts);
        for path in paths {
            all.remove(path);
        }
    }

    /// Records that a session has lines that are not stored, although it does not run any more.
    pub(super) fn leaves(&self, session: &SessionRef) {
        lock(&self.left).insert(session.clone());
    }

    /// Records that all lines of a session that does not run any more are stored.
    pub(super) fn has_brought(&self, session: &SessionRef) {
        lock(&self.left).remove(session);
    }

    /// Returns the totals. Blocks while it reads the size of each transcript that has lines to store.
    pub(super) fn sum(&self) -> Unstored {
        let mut oldest = Duration::ZERO;
        let waiting: Vec<_> = {
            let all = lock(&self.transcripts);
            let all = all.iter().filter_map(|(path, transcript)| {
                oldest = oldest.max(transcript.since?.elapsed());
                Some((path.clone(), transcript.stored))
            });
            all.collect()
        };
        let size = |path: PathBuf| path.metadata().map_or(0, |found| found.len());
        let bytes = waiting.into_iter();
        let bytes = bytes.map(|(path, stored)| size(path).saturating_sub(stored));
        Unstored {
            bytes: bytes.sum(),
            oldest,
            left: lock(&self.left).len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_behind_the_stored_ones_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.jsonl");
        std::fs::write(&path, "12345678").unwrap();
        let waiting = Waiting::default();
        waiting.is_stored_to(&path, 3);
        assert_eq!(waiting.sum(), Unstored::default());
        waiting.begins(&path);
        waiting.begins(&folder.path().join("missing.jsonl"));
        assert_eq!(waiting.sum().bytes, 5);
        assert!(waiting.sum().oldest > Duration::ZERO);
        waiting.is_stored_to(&path, 8);
        assert_eq!(waiting.sum().bytes, 0);
        waiting.ends(&path);
        waiting.forget([&folder.path().join("missing.jsonl")]);
        assert_eq!(waiting.sum(), Unstored::default());
    }

    #[test]
    fn a_session_that_has_left_lines_counts_once_until_they_are_stored() {
        let waiting = Waiting::default();
        let session = SessionRef::new("shared", "s1").unwrap();
        waiting.leaves(&session);
        waiting.leaves(&session);
        assert_eq!(waiting.sum().left, 1);
        waiting.has_brought(&session);
        assert_eq!(waiting.sum(), Unstored::default());
    }
}
