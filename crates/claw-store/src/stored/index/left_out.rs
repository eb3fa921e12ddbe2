//! The data that a result of the index does not contain.

use crate::stored::StoredError;
use crate::{Retry, SessionRef};

/// The data that a result of a [`SessionIndex`](crate::SessionIndex) does not contain.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LeftOut {
    /// The sessions that could not be read, each with the error.
    pub problems: Vec<(SessionRef, StoredError)>,
    /// The sessions with lines that could not be read, each with the number of these lines.
    pub lines: Vec<(SessionRef, u64)>,
    /// The number of [kept](crate::StoredSessions::kept) entries of the sessions that were not searched. A report about
    /// the usage counts these entries.
    pub kept: u64,
    /// The number of sessions whose data may be out of date, because the store reports no revision of them. The result
    /// contains the data that was read earlier. Sub-agents may have written to these sessions since then.
    pub by_time: u64,
    /// The reason why the index could not be written. The result is complete, but the next call reads the sessions again.
    pub index: Option<StoredError>,
}

impl LeftOut {
    /// Returns sentences for people about everything that the result does not contain. The sentences contain names from
    /// the store, which may include control characters.
    pub fn sentences(&self) -> Vec<String> {
        let mut all: Vec<_> = self
            .problems
            .iter()
            .map(|(session, problem)| format!("{session} is left out: {problem}"))
            .collect();
        all.extend(self.lines.iter().map(|(session, count)| match count {
            1 => format!("{session}: 1 line cannot be read, and is left out"),
            _ => format!("{session}: {count} lines cannot be read, and are left out"),
        }));
        match self.kept {
            0 => {}
            1 => all.push("1 entry that is kept beside a session was not searched".to_owned()),
            count => all.push(format!(
                "{count} entries that are kept beside sessions were not searched"
            )),
        }
        if self.by_time > 0 {
            all.push(format!(
                "the store reports no revisions of {} sessions: what their sub-agents wrote more than an hour after the \
                 session itself may be missing",
                self.by_time
            ));
        }
        all.extend(self.index.iter().map(|error| {
            format!("the index was not written, so the next call takes as long: {error}")
        }));
        all
    }

    /// Adds a session that could not be read. Fails if the store cannot be reached.
    pub(super) fn failed(
        &mut self,
        session: SessionRef,
        error: StoredError,
    ) -> Result<(), StoredError> {
        match error {
            // The session was deleted after it was listed.
            error if error.is_not_found() => {}
            StoredError::Store(error) if error.retry() != Retry::No => return Err(error.into()),
            error => self.problems.push((session, error)),
        }
        Ok(())
    }
}
