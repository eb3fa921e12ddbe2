//! A cache of counted answers, for repeated reports.

use std::collections::HashMap;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::answers::{Answers, How, Keys};
use super::{Prices, Zone};
use crate::{Error, Session, Subagent};

/// The maximum number of cached answers, which take about 80 MB.
const MOST: usize = 400_000;

/// A cache for usage reports. It remembers the counted tokens of each of the model's answers, so that the next report
/// reads only the sessions that have changed. Used by [`UsageOfMany::run_cached`](super::UsageOfMany::run_cached).
///
/// A session has changed if its transcript, or the transcript of one of its sub-agents, has a different size or
/// modification time than before. The cache holds at most 400,000 answers, which need about 80 MB. Further sessions,
/// and sessions with files or lines that cannot be read, are read for each report.
#[derive(Debug)]
pub struct UsageCache {
    pub(super) prices: Arc<Prices>,
    pub(super) zone: Zone,
    pub(super) keys: Keys,
    sessions: HashMap<PathBuf, Kept>,
    stamps: RandomState,
    /// The number of cached answers.
    answers: usize,
    most: usize,
    /// The number of the current report, counted since the cache was created.
    round: u64,
    /// The number of sessions that were read from disk.
    #[cfg(test)]
    pub(super) reads: usize,
}

#[derive(Debug)]
struct Kept {
    /// A hash of the sizes and times of the files when they were read.
    stamp: u64,
    answers: Arc<Answers>,
    round: u64,
}

impl UsageCache {
    /// Creates an empty cache. Reports that use the cache estimate costs at these prices, and use the days of this time
    /// zone.
    pub fn new(prices: Prices, zone: Zone) -> Self {
        Self {
            prices: Arc::new(prices),
            zone,
            keys: Keys::default(),
            sessions: HashMap::new(),
            stamps: RandomState::new(),
            answers: 0,
            most: MOST,
            round: 0,
            #[cfg(test)]
            reads: 0,
        }
    }

    /// Sets another maximum number of cached answers.
    #[cfg(test)]
    pub(super) fn with_most(mut self, answers: usize) -> Self {
        self.most = answers;
        self
    }

    /// Returns the answers of a session, and the errors of the files and lines that could not be read.
    pub(super) fn read(
        &mut self,
        session: &Session,
        how: &How<'_>,
    ) -> Result<(Arc<Answers>, Vec<Error>), Error> {
        // The stamp is taken before the files are read, so that a later write changes it.
        let stamp = self.stamp(session);
        let transcript = session.transcript();
        if let Some(kept) = self.sessions.get_mut(transcript)
            && Some(kept.stamp) == stamp
        {
            kept.round = self.round;
            return Ok((kept.answers.clone(), Vec::new()));
        }
        if let Some(old) = self.sessions.remove(transcript) {
            self.answers -= old.answers.len();
        }
        #[cfg(test)]
        {
            self.reads += 1;
        }
        let (answers, problems) = Answers::read(session, &self.keys, how)?;
        let answers = Arc::new(answers);
        let fits = self.answers + answers.len() <= self.most;
        if let Some(stamp) = stamp.filter(|_| fits && problems.is_empty()) {
            self.answers += answers.len();
            let kept = Kept {
                stamp,
                answers: answers.clone(),
                round: self.round,
            };
            self.sessions.insert(transcript.to_owned(), kept);
        }
        Ok((answers, problems))
    }

    /// Removes the sessions that were not in the newest report, and begins the next report.
    pub(super) fn end_report(&mut self) {
        let round = self.round;
        self.sessions.retain(|_, kept| kept.round == round);
        let kept = self.sessions.values();
        self.answers = kept.map(|kept| kept.answers.len()).sum();
        self.round += 1;
    }

    /// Returns a hash of the sizes and times of a session's files. Returns `None` if a file cannot be examined.
    fn stamp(&self, session: &Session) -> Option<u64> {
        let subagents = session.subagents();
        if !subagents.problems.is_empty() {
            return None;
        }
        let of = |path: &Path| {
            let file = fs::metadata(path).ok()?;
            Some((file.len(), file.modified().ok()?))
        };
        let mut files: Vec<(&Path, u64, SystemTime)> = Vec::new();
        let all = subagents.subagents.iter().map(Subagent::transcript);
        for path in std::iter::once(session.transcript()).chain(all) {
            let (length, modified) = of(path)?;
            files.push((path, length, modified));
        }
        Some(self.stamps.hash_one(files))
    }
}
