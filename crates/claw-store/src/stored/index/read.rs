//! Reads sessions from the store, both for the index and for searches of all lines.

use claw_sessions::LineSearch;

use super::entry::{self, Building, Entry};
use super::{LinesLeftOut, StoredHit};
use crate::stored::checkout::is_agent_metadata;
use crate::stored::lines::{Allowance, Loading};
use crate::stored::usage::agent_id;
use crate::stored::{StoredError, StoredSession, StoredSessions};
use crate::{SessionRef, Subpath};

/// The maximum size of an entry in bytes, which errors report.
const MOST: u64 = entry::MOST as u64;

impl StoredSessions {
    /// Makes the entry of a session.
    pub(super) async fn entry(
        &self,
        listed: &StoredSession,
        now: i64,
    ) -> Result<Entry, StoredError> {
        let session = &listed.session;
        let mut left = Allowance::new(session, self.limits);
        let mut building = Building::new(listed, now);
        let too_large = |left: &Allowance| left.exceeded("bytes of text in the index", MOST);
        for (key, subagent) in self.transcripts(session, &left).await? {
            let subpath = key.subpath().map(Subpath::as_str);
            building.transcript(subpath, subagent.as_deref());
            let mut loading = Loading::new(&*self.store, &key);
            while let Some(line) = loading.next(&mut left).await? {
                let is_main = subagent.is_none();
                if !is_main && is_agent_metadata(&line) {
                    continue;
                }
                if !building.line(&line, is_main) {
                    return Err(too_large(&left));
                }
            }
            if subagent.is_none() && loading.lines == 0 {
                return Err(StoredError::not_found(session));
            }
        }
        for kept in self.kept(session).await? {
            let subagent = kept.transcript.as_deref().map(agent_id);
            // Only the main transcript and the transcripts of sub-agents contain answers of the model. Kept entries of
            // other transcripts are skipped.
            if subagent != Some(None) && !building.kept(&kept.line, subagent.flatten()) {
                return Err(too_large(&left));
            }
        }
        Ok(building.finish())
    }

    /// Searches all lines of a session. Returns the hits, the lines that cannot be searched, and the number of the
    /// session's kept entries.
    pub(super) async fn search_session(
        &self,
        session: &SessionRef,
        search: &LineSearch,
    ) -> Result<(Vec<StoredHit>, LinesLeftOut, u64), StoredError> {
        let (mut hits, mut unreadable) = (Vec::new(), LinesLeftOut::none(session));
        let mut left = Allowance::new(session, self.limits);
        for (key, subagent) in self.transcripts(session, &left).await? {
            let mut loading = Loading::new(&*self.store, &key);
            let mut number = 0;
            while let Some(line) = loading.next(&mut left).await? {
                if subagent.is_some() && is_agent_metadata(&line) {
                    continue;
                }
                number += 1;
                match search.line(line.as_str().as_bytes()) {
                    Ok(None) => {}
                    Ok(Some(hit)) => {
                        hits.push(StoredHit::of(session, key.subpath().cloned(), number, hit));
                    }
                    Err(_) => unreadable.add(1, Some((key.clone(), number))),
                }
            }
            if subagent.is_none() && loading.lines == 0 {
                return Err(StoredError::not_found(session));
            }
        }
        let kept = self.kept(session).await?.len() as u64;
        Ok((hits, unreadable, kept))
    }
}
