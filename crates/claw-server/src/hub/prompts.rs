//! The accepted and unanswered prompts of a live session. Each has a mark, on disk or in the store.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_client::store::StoreKey;
use claw_types::message::UserMessage;
use claw_types::{MessageUuid, SessionId};
use tokio::runtime::Handle;

use super::HubError;
use super::error::CLOSED;
use super::marks::{self, Marks};
use super::moves::Moves;
use super::prompt_log::PromptLog;
use crate::conversation::Unanswered;

/// The accepted prompts of a live session: those that wait and those that run.
#[derive(Debug)]
pub(crate) struct Prompts {
    marks: Arc<Marks>,
    moves: Arc<Moves>,
    /// The folder of the project.
    folder: PathBuf,
    open: Mutex<OpenPrompts>,
    /// The log that contains the marks, if they are in the store.
    log: Mutex<Option<Arc<PromptLog>>>,
}

/// The mark of a prompt.
#[derive(Debug)]
enum Mark {
    Disk(marks::Mark),
    Store(Arc<PromptLog>),
}

#[derive(Debug)]
struct OpenPrompts {
    marks: HashMap<MessageUuid, (Mark, bool)>,
    /// The path of a transcript without messages. claude neither resumes such a session nor begins it again.
    unsaid: Option<PathBuf>,
    phase: Phase,
    /// The logs of the session that earlier claims have left in the store.
    left: Vec<StoreKey>,
}

#[derive(Debug, PartialEq)]
enum Phase {
    /// Prompts are accepted.
    Open,
    /// No more prompts are accepted, for this reason. Accepted prompts keep their marks.
    Refusing(Refusal),
    /// The conversation was closed on request. Its prompts are no longer marked.
    Left,
}

/// The reason why a session accepts no more prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server ends.
    ServerEnds,
    /// Another host has the session.
    Superseded,
    /// The store was unreachable for so long that this host has given up its claim.
    GivenUp,
}

impl Refusal {
    /// The reason why a prompt is not accepted.
    pub(super) fn of_prompt(self) -> &'static str {
        match self {
            Self::ServerEnds => "the server ends",
            Self::Superseded => "another host has the session now: send the prompt again",
            Self::GivenUp => {
                "the store is away, and this host has given the session up: send the prompt again later"
            }
        }
    }

    /// The message to viewers about the unanswered prompts.
    pub(super) fn of_session(refusal: Option<Self>) -> &'static str {
        match refusal {
            Some(Self::ServerEnds) => {
                "the server ended before the prompts were answered: they are kept, and not lost"
            }
            Some(Self::Superseded) => {
                "another host has the session now: prompts without an answer are kept, and not lost"
            }
            Some(Self::GivenUp) => {
                "this host could not reach the store and has given the session up: prompts without an answer are kept, \
                 and not lost"
            }
            None => {
                "the session was closed before the prompts were answered: they are kept, and not lost"
            }
        }
    }
}

impl Prompts {
    pub(super) fn new(
        marks: Arc<Marks>,
        moves: Arc<Moves>,
        folder: PathBuf,
        unsaid: Option<PathBuf>,
        log: Option<Arc<PromptLog>>,
        left: Vec<StoreKey>,
    ) -> Self {
        let open = OpenPrompts {
            marks: HashMap::new(),
            unsaid,
            phase: Phase::Open,
            left,
        };
        Self {
            marks,
            moves,
            folder,
            open: Mutex::new(open),
            log: Mutex::new(log),
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenPrompts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a prompt, which must have a UUID. Blocks.
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
            // The prompt's mark contains everything that this transcript has of the prompt.
            let aside = unsaid.with_extension("jsonl.unsaid");
            std::fs::rename(&unsaid, aside).map_err(HubError::Unkept)?;
        }
        // A caller that continues the earlier conversation uses its ID for that conversation again.
        self.moves.forget(session);
        let mark = if let Some(log) = self.log() {
            let accepted = Handle::current().block_on(log.accept(uuid, prompt));
            accepted
                .map(|()| Mark::Store(log))
                .map_err(io::Error::other)
        } else {
            let marked = self.marks.accept(session, &self.folder, prompt);
            marked.map(Mark::Disk)
        };
        let mark = mark.map_err(HubError::Unkept)?;
        let refused = {
            let mut open = self.open();
            match open.accepts() {
                Ok(()) => {
                    open.marks.insert(uuid.clone(), (mark, false));
                    return Ok(());
                }
                Err(refused) => refused,
            }
        };
        mark.end(uuid);
        Err(refused)
    }

    /// The log that contains the marks, if they are in the store.
    pub(super) fn log(&self) -> Option<Arc<PromptLog>> {
        let log = self.log.lock();
        log.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the log, because the session continues under another ID with its own log.
    pub(super) fn move_log(&self, to: Arc<PromptLog>) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        *log = Some(to);
    }

    /// Releases the session's claim, if it has one.
    pub(super) fn release(&self) {
        if self.open().phase == Phase::Left {
            return;
        }
        if let (Some(log), Ok(runtime)) = (self.log(), Handle::try_current()) {
            runtime.spawn(async move { log.release().await });
        }
    }

    /// Records that a prompt is about to be sent to claude. Blocks.
    pub(super) fn sent(&self, uuid: &MessageUuid) -> io::Result<()> {
        let log = match self.open().marks.get_mut(uuid) {
            Some((Mark::Disk(mark), is_sent)) => {
                mark.sent()?;
                *is_sent = true;
                return Ok(());
            }
            Some((Mark::Store(log), _)) => log.clone(),
            None => return Ok(()),
        };
        let sent = Handle::current().block_on(log.sent(uuid));
        sent.map_err(io::Error::other)?;
        if let Some((_, is_sent)) = self.open().marks.get_mut(uuid) {
            *is_sent = true;
        }
        Ok(())
    }

    /// Whether claude may have received a prompt.
    pub(super) fn is_sent(&self, uuid: &MessageUuid) -> bool {
        let open = self.open();
        open.marks.get(uuid).is_some_and(|(_, is_sent)| *is_sent)
    }

    /// Removes the mark of a prompt that has its result, or whose viewers know why it has none. Blocks.
    pub(super) fn finish(&self, uuid: &MessageUuid, is_answered: bool) {
        let mark = {
            let mut open = self.open();
            // The claim is lost, so the mark stays: the host that now has the session finds the prompt by it.
            if let Some((Mark::Store(log), _)) = open.marks.get(uuid)
                && log.is_lost()
            {
                if is_answered {
                    log.end_later(uuid);
                }
                return;
            }
            open.marks.remove(uuid)
        };
        if let Some((mark, _)) = mark {
            mark.end(uuid);
        }
    }

    /// Removes the marks that earlier servers have left of the session, because the session has continued. Blocks.
    pub(super) fn settle(&self, session: &SessionId) {
        if self.marks.is_cut(session) {
            self.marks.settle(session);
        }
        let left = std::mem::take(&mut self.open().left);
        if let (Some(log), false, Ok(runtime)) =
            (self.log(), left.is_empty(), Handle::try_current())
        {
            runtime.spawn(async move { log.remove(left).await });
        }
    }

    /// The reason why no more prompts are accepted. `None` if prompts are accepted.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        match self.open().phase {
            Phase::Refusing(why) => Some(why),
            Phase::Open | Phase::Left => None,
        }
    }

    /// Refuses further prompts. Only the first reason counts.
    pub(super) fn refuse(&self, why: Refusal) {
        let mut open = self.open();
        if open.phase == Phase::Open {
            open.phase = Phase::Refusing(why);
        }
    }

    /// Removes all marks, including those of earlier servers, and refuses further prompts. Blocks.
    pub(super) fn leave(&self, session: &SessionId) {
        let marks = {
            let mut open = self.open();
            open.phase = Phase::Left;
            std::mem::take(&mut open.marks)
        };
        let mut stored = Vec::new();
        for (uuid, (mark, _)) in marks {
            match mark {
                Mark::Disk(mark) => mark.end(),
                Mark::Store(log) => stored.push((uuid, log)),
            }
        }
        if let (Some(log), Ok(runtime)) = (self.log(), Handle::try_current()) {
            // Runs in a separate task, because the caller may itself run in an async task.
            runtime.spawn(async move {
                for (uuid, log) in stored {
                    log.end(&uuid).await;
                }
                log.release().await;
            });
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

impl Mark {
    /// Removes the mark. Blocks.
    fn end(self, uuid: &MessageUuid) {
        match self {
            Self::Disk(mark) => mark.end(),
            Self::Store(log) => Handle::current().block_on(log.end(uuid)),
        }
    }
}

impl OpenPrompts {
    fn accepts(&self) -> Result<(), HubError> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Refusing(why) => Err(HubError::Busy(why.of_prompt())),
            Phase::Left => Err(CLOSED),
        }
    }
}
