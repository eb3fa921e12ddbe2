//! The answers of sessions whose transcripts are not on this machine.

use std::sync::Arc;

use claw_types::SessionId;

use super::answers::{Answers, How, Keys};
use super::{Prices, UsageCache, Zone};
use crate::Session;

/// The answers of a session whose transcripts are not read from this machine, but for example from a store. This value
/// counts the answers in the given lines, and stores no text of the lines. Made by [`UsageCache::answers`], for
/// [`UsageSource`].
#[derive(Debug)]
pub struct SessionAnswers {
    pub(super) id: SessionId,
    /// The name of the folder that would contain the transcript.
    pub(super) folder: Option<String>,
    pub(super) answers: Arc<Answers>,
    /// The number of lines that could not be read.
    unreadable: u64,
    has_subagents: bool,
    keys: Keys,
    prices: Arc<Prices>,
    zone: Zone,
}

impl UsageCache {
    /// Begins to count the answers of a session whose lines do not come from this machine. The result can be used only
    /// in reports with this cache.
    pub fn answers(&self, session: &SessionId) -> SessionAnswers {
        SessionAnswers {
            id: session.clone(),
            folder: None,
            answers: Arc::default(),
            unreadable: 0,
            has_subagents: false,
            keys: self.keys.clone(),
            prices: self.prices.clone(),
            zone: self.zone.clone(),
        }
    }
}

impl SessionAnswers {
    /// Begins to count the answers of another session, for reports with the same cache.
    #[must_use]
    pub fn of_session(&self, session: &SessionId) -> Self {
        Self {
            id: session.clone(),
            folder: None,
            answers: Arc::default(),
            unreadable: 0,
            has_subagents: false,
            keys: self.keys.clone(),
            prices: self.prices.clone(),
            zone: self.zone.clone(),
        }
    }

    /// Sets the name of the folder that would contain the transcript on a disk, such as the project of a store. Reports
    /// use it as the name of the project if no line of the session names its directory.
    #[must_use]
    pub fn of_folder(mut self, name: impl Into<String>) -> Self {
        self.folder = Some(name.into());
        self
    }

    /// Adds a line of the session's main transcript, or of the transcript of the sub-agent with this ID. Pass the main
    /// transcript first, and the lines of each transcript in their order.
    pub fn line(&mut self, line: &[u8], subagent: Option<&str>) {
        self.has_subagents |= subagent.is_some();
        let how = How {
            zone: self.zone.clone(),
            prices: Some(&self.prices),
            ..How::default()
        };
        // This is the only reference to the answers, so they are not copied here.
        let answers = Arc::make_mut(&mut self.answers);
        if answers.line(line, subagent, &self.keys, &how).is_err() {
            self.unreadable += 1;
        }
    }

    /// Returns the number of answers that were counted so far.
    pub fn count(&self) -> usize {
        self.answers.len()
    }

    /// Whether one of the lines belongs to a sub-agent's transcript.
    pub fn has_subagents(&self) -> bool {
        self.has_subagents
    }

    /// Returns the number of lines that could not be read. They are not counted.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }
}

/// A session that a report counts: the copy on this machine, a copy from another source, or both. Each copy may have
/// answers that the other one lacks. Each answer is counted once.
#[derive(Debug, Clone)]
pub struct UsageSource {
    pub(super) id: SessionId,
    pub(super) on_disk: Option<Session>,
    pub(super) elsewhere: Option<Arc<SessionAnswers>>,
}

impl UsageSource {
    /// Adds the copy of the session on this machine.
    #[must_use]
    pub fn and_on_disk(mut self, session: Session) -> Self {
        self.on_disk = Some(session);
        self
    }
}

impl From<Session> for UsageSource {
    fn from(session: Session) -> Self {
        Self {
            id: session.id().clone(),
            on_disk: Some(session),
            elsewhere: None,
        }
    }
}

impl From<Arc<SessionAnswers>> for UsageSource {
    fn from(answers: Arc<SessionAnswers>) -> Self {
        Self {
            id: answers.id.clone(),
            on_disk: None,
            elsewhere: Some(answers),
        }
    }
}
