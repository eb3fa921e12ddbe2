//! Answers that were read before, for reports that come one after the other.

use std::collections::HashMap;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::answers::{Answers, How, Keys};
use super::{Prices, Zone};
use crate::{Error, Session, Subagent};

/// How many answers are kept: some 80 MB.
const MOST: usize = 400_000;

/// A cache for usage reports. It remembers the counted tokens of each of the model's answers, so that the next report
/// reads only the sessions that have changed. Used by [`UsageOfMany::run_cached`](super::UsageOfMany::run_cached).
///
/// A session has changed if its transcript, or the transcript of one of its sub-agents, has a different size or
/// modification time than before. The cache keeps at most 400,000 answers, which need about 80 MB. Further sessions,
/// and sessions in which something cannot be read, are read for each report.
#[derive(Debug)]
pub struct UsageCache {
    pub(super) prices: Arc<Prices>,
    pub(super) zone: Zone,
    pub(super) keys: Keys,
    sessions: HashMap<PathBuf, Kept>,
    stamps: RandomState,
    /// How many answers are kept.
    answers: usize,
    most: usize,
    /// The number of the report that is made.
    round: u64,
    /// How many sessions were read from disk.
    #[cfg(test)]
    pub(super) reads: usize,
}

#[derive(Debug)]
struct Kept {
    /// The sizes and times of the files when they were read.
    stamp: u64,
    answers: Arc<Answers>,
    round: u64,
}

impl UsageCache {
    /// Creates an empty cache. Reports that use the cache estimate costs at these prices, and count the days of this
    /// time zone.
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

    /// Sets another bound of the answers that are kept.
    #[cfg(test)]
    pub(super) fn with_most(mut self, answers: usize) -> Self {
        self.most = answers;
        self
    }

    /// The answers of a session, with what could not be read of them.
    pub(super) fn read(
        &mut self,
        session: &Session,
        how: &How<'_>,
    ) -> Result<(Arc<Answers>, Vec<Error>), Error> {
        // Before it is read: what is written meanwhile changes the stamp.
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

    /// Forgets the sessions that the newest report did not have, and begins another one.
    pub(super) fn end_report(&mut self) {
        let round = self.round;
        self.sessions.retain(|_, kept| kept.round == round);
        let kept = self.sessions.values();
        self.answers = kept.map(|kept| kept.answers.len()).sum();
        self.round += 1;
    }

    /// The sizes and times of a session's files, in short. `None` if a file cannot be looked at.
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
