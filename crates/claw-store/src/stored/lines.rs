//! Loads the lines of a session from an untrusted store.

use futures::TryStreamExt as _;
use futures::stream::BoxStream;

use super::{Limits, StoredError};
use crate::{Line, ReadSessions, SessionRef, StoreError, StoreKey, StoredLine};

/// What remains of the limits while a session is loaded. All transcripts of the session share the limits.
#[derive(Debug)]
pub(super) struct Allowance {
    session: SessionRef,
    limits: Limits,
    bytes: u64,
    lines: u64,
}

impl Allowance {
    pub(super) fn new(session: &SessionRef, limits: Limits) -> Self {
        Self {
            session: session.clone(),
            limits,
            bytes: limits.bytes,
            lines: limits.lines,
        }
    }

    pub(super) fn exceeded(&self, what: &'static str, most: u64) -> StoredError {
        StoredError::LimitExceeded {
            session: self.session.clone(),
            what,
            most,
        }
    }

    pub(super) fn take(&mut self, line: &Line) -> Result<(), StoredError> {
        let bytes = line.as_str().len() as u64;
        if bytes > self.limits.line {
            return Err(self.exceeded("bytes a line", self.limits.line));
        }
        let limits = self.limits;
        let left = self.bytes.checked_sub(bytes + 1);
        self.bytes = left.ok_or_else(|| self.exceeded("bytes", limits.bytes))?;
        let left = self.lines.checked_sub(1);
        self.lines = left.ok_or_else(|| self.exceeded("lines", limits.lines))?;
        Ok(())
    }
}

/// Loads a transcript line by line. Checks that each line has the right position and belongs to the session.
pub(super) struct Loading<'a> {
    stream: BoxStream<'a, Result<StoredLine, StoreError>>,
    key: &'a StoreKey,
    /// The number of lines that were loaded.
    pub(super) lines: u64,
    /// The JSON member by which a line of this session is recognised.
    own: String,
    has_own: bool,
    /// The session ID of a line that belongs to another session.
    other: Option<String>,
}

impl<'a> Loading<'a> {
    pub(super) fn new(store: &'a dyn ReadSessions, key: &'a StoreKey) -> Self {
        let id = serde_json::Value::from(key.session().session());
        Self {
            stream: store.load(key),
            key,
            lines: 0,
            own: format!("\"sessionId\":{id}"),
            has_own: false,
            other: None,
        }
    }

    pub(super) async fn next(&mut self, left: &mut Allowance) -> Result<Option<Line>, StoredError> {
        let Some(stored) = self.stream.try_next().await? else {
            return self.end().map(|()| None);
        };
        if stored.position != self.lines {
            let (found, key) = (stored.position, self.key);
            let what = format!("{key}: line {found} came where line {} belongs", self.lines);
            return Err(StoreError::corrupt(what).into());
        }
        left.take(&stored.line)?;
        self.lines += 1;
        self.check_owner(&stored.line);
        Ok(Some(stored.line))
    }

    fn check_owner(&mut self, line: &Line) {
        let text = line.as_str();
        if self.has_own || !text.contains("\"sessionId\"") {
            return;
        }
        self.has_own = text.contains(&self.own);
        if !self.has_own
            && let Some(id) = line.json().get("sessionId")
            && let Some(id) = id.as_str()
        {
            self.has_own = id == self.key.session().session();
            self.other
                .get_or_insert_with(|| id.chars().take(64).collect());
        }
    }

    /// Checks that the transcript belongs to the session. A transcript may also contain lines of other sessions. If it
    /// contains no line of this session, it belongs to another session.
    fn end(&self) -> Result<(), StoredError> {
        match &self.other {
            Some(other) if !self.has_own => {
                let what = format!("{} has the lines of session {other:?}", self.key);
                Err(StoreError::corrupt(what).into())
            }
            _ => Ok(()),
        }
    }
}
