//! The prompts of a live session that were accepted and are not answered: each has a mark on disk.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_types::message::UserMessage;
use claw_types::{MessageUuid, SessionId};

use super::HubError;
use super::marks::{Mark, Marks};
use super::moves::Moves;
use crate::conversation::Unanswered;

/// The accepted prompts of a live session. As many as may wait, and those that run.
#[derive(Debug)]
pub(crate) struct Prompts {
    marks: Arc<Marks>,
    moves: Arc<Moves>,
    /// The folder of the project.
    folder: PathBuf,
    open: Mutex<OpenPrompts>,
}

#[derive(Debug)]
struct OpenPrompts {
    marks: HashMap<MessageUuid, (Mark, bool)>,
    /// A transcript in which nothing was said, which claude neither resumes nor begins anew.
    unsaid: Option<PathBuf>,
    phase: Phase,
}

#[derive(Debug, PartialEq)]
enum Phase {
    /// Prompts are accepted.
    Open,
    /// The server is ending. Accepted prompts stay marked.
    Ending,
    /// The conversation was left on purpose. Its prompts are no longer marked.
    Left,
}

impl Prompts {
    pub(super) fn new(
        marks: Arc<Marks>,
        moves: Arc<Moves>,
        folder: PathBuf,
        unsaid: Option<PathBuf>,
    ) -> Self {
        let open = OpenPrompts {
            marks: HashMap::new(),
            unsaid,
            phase: Phase::Open,
        };
        Self {
            marks,
            moves,
            folder,
            open: Mutex::new(open),
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenPrompts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a prompt, which has a UUID. Blocks.
    pub(super) fn accept(
        &self,
        session: &SessionId,
        uuid: &MessageUuid,
        prompt: &UserMessage,
    ) -> Result<(), HubError> {
        let unsaid = {
            let mut open = self.open();
            open.accepts()?;
            open.unsaid.take()
        };
        if let Some(unsaid) = unsaid {
            // What it has of the prompt is in the prompt's mark too.
            let aside = unsaid.with_extension("jsonl.unsaid");
            std::fs::rename(&unsaid, aside).map_err(HubError::Unkept)?;
        }
        // Whoever goes on with the earlier conversation means it by its ID again.
        self.moves.forget(session);
        let mark = self.marks.accept(session, &self.folder, prompt);
        let mark = mark.map_err(HubError::Unkept)?;
        let mut open = self.open();
        if let Err(refused) = open.accepts() {
            mark.end();
            return Err(refused);
        }
        open.marks.insert(uuid.clone(), (mark, false));
        Ok(())
    }

    /// A prompt is given to claude from now on. Blocks.
    pub(super) fn sent(&self, uuid: &MessageUuid) -> io::Result<()> {
        match self.open().marks.get_mut(uuid) {
            Some((mark, is_sent)) => {
                mark.sent()?;
                *is_sent = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether claude may have got a prompt.
    pub(super) fn is_sent(&self, uuid: &MessageUuid) -> bool {
        let open = self.open();
        open.marks.get(uuid).is_some_and(|(_, is_sent)| *is_sent)
    }

    /// A prompt has its result, or its viewers know why it has none. Blocks.
    pub(super) fn finish(&self, uuid: &MessageUuid) {
        let mark = self.open().marks.remove(uuid);
        if let Some((mark, _)) = mark {
            mark.end();
        }
    }

    /// The session has gone on: what earlier servers have left of it is over as well. Blocks.
    pub(super) fn settle(&self, session: &SessionId) {
        if self.marks.is_cut(session) {
            self.marks.settle(session);
        }
    }

    /// Accepts no more prompts: the server ends.
    pub(super) fn end(&self) {
        let mut open = self.open();
        if open.phase == Phase::Open {
            open.phase = Phase::Ending;
        }
    }

    /// Takes all marks away, those of earlier servers as well, and sets none any more. Blocks.
    pub(super) fn leave(&self, session: &SessionId) {
        let marks = {
            let mut open = self.open();
            open.phase = Phase::Left;
            std::mem::take(&mut open.marks)
        };
        for (mark, _) in marks.into_values() {
            mark.end();
        }
        self.settle(session);
    }

    /// The prompts that have a mark.
    pub(super) fn unanswered(&self) -> Vec<Unanswered> {
        let open = self.open();
        let unanswered = open.marks.iter().map(|(uuid, (_, is_sent))| Unanswered {
            uuid: uuid.as_str().to_owned(),
            sent: *is_sent,
        });
        unanswered.collect()
    }
}

impl OpenPrompts {
    fn accepts(&self) -> Result<(), HubError> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Ending => Err(HubError::Busy("the server ends")),
            Phase::Left => Err(HubError::NoSession),
        }
    }
}
