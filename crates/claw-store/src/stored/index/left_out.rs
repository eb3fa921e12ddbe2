//! The data that a result of the index does not contain.

use crate::stored::StoredError;
use crate::{Retry, SessionRef, StoreKey};

/// The data that a result of a [`SessionIndex`](crate::SessionIndex) does not contain.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LeftOut {
    /// The sessions that could not be read, each with the error.
    pub problems: Vec<(SessionRef, StoredError)>,
    /// The sessions with lines that could not be read, or that are longer than the 32 MiB that a search reads.
    pub lines: Vec<LinesLeftOut>,
    /// The number of [kept](crate::StoredSessions::kept) entries of the sessions that were not searched. A report about
    /// the usage counts these entries.
    pub kept: u64,
    /// The number of sessions whose data may be out of date, because the store reports no revision of them. The result
    /// contains the data that was read earlier. Sub-agents may have written to these sessions since then.
    pub by_time: u64,
    /// The reason why the index could not be written. The result is complete, but the next call reads the sessions again.
    pub index: Option<StoredError>,
}

/// The lines of a session that a result does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinesLeftOut {
    /// The session.
    pub session: SessionRef,
    /// The number of lines.
    pub count: u64,
    /// The transcript of the first of these lines, and its number in the transcript, counted from 1. `None` in a report
    /// about the usage, which does not know it.
    pub first: Option<(StoreKey, u64)>,
}

impl LinesLeftOut {
    pub(super) fn none(session: &SessionRef) -> Self {
        Self {
            session: session.clone(),
            count: 0,
            first: None,
        }
    }

    /// Adds lines. `first` is the place of the first of them.
    pub(super) fn add(&mut self, count: u64, first: Option<(StoreKey, u64)>) {
        self.count += count;
        self.first = self.first.take().or(first);
    }

    /// Returns a sentence for people about these lines.
    fn sentence(&self) -> String {
        let Self {
            session,
            count,
            first,
        } = self;
        match (count, first) {
            (1, None) => format!("{session}: 1 line cannot be read, and is left out"),
            (1, Some((key, line))) => {
                format!("{key}: line {line} cannot be read, and is left out")
            }
            (_, None) => format!("{session}: {count} lines cannot be read, and are left out"),
            (_, Some((key, line))) => format!(
                "{session}: {count} lines cannot be read, and are left out. The first one is line {line} of {key}"
            ),
        }
    }
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
        all.extend(self.lines.iter().map(LinesLeftOut::sentence));
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

    /// Adds lines that could not be read, unless there are none.
    pub(super) fn add_lines(&mut self, lines: LinesLeftOut) {
        if lines.count > 0 {
            self.lines.push(lines);
        }
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
