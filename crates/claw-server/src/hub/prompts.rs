//! The accepted and unanswered prompts of a live session. Each prompt has a mark: a record on disk or in the store that
//! the prompt is accepted and unanswered.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_client::store::StoreKey;
use claw_types::message::UserMessage;
use claw_types::{MessageUuid, SessionId};
use tokio::runtime::Handle;

use super::HubError;
use super::error::CLOSED;
use super::marks::{self, Marks};
use super::moves::Moves;
use super::prompt_log::{Left, PromptLog};
use crate::conversation::Unanswered;

/// The accepted prompts of a live session that have no result yet.
#[derive(Debug)]
pub(crate) struct Prompts {
    marks: Arc<Marks>,
    moves: Arc<Moves>,
    /// The folder of the project.
    folder: PathBuf,
    /// The session's configuration folder, if the server uses several.
    config_dir: Option<PathBuf>,
    open: Mutex<OpenPrompts>,
    /// The log in the store that records accepted prompts. `None` if they are recorded on disk.
    log: Mutex<Option<Arc<PromptLog>>>,
}

/// The mark of a prompt: the record that the prompt is accepted and unanswered.
#[derive(Debug)]
enum Mark {
    Disk(marks::Mark),
    Store(Arc<PromptLog>),
}

#[derive(Debug)]
struct OpenPrompts {
    marks: HashMap<MessageUuid, (Mark, bool)>,
    /// The path of a transcript that contains no messages. As long as this file exists, claude neither resumes the session nor
    /// begins a new one with its ID.
    unsaid: Option<PathBuf>,
    phase: Phase,
    /// The prompts that earlier claims have left unanswered in the store, except those that were sent again.
    left: Vec<LeftPrompt>,
    /// The logs of earlier claims that contain the prompts in `left`.
    left_logs: Vec<StoreKey>,
}

/// A prompt that an earlier claim has left unanswered in the store.
#[derive(Debug, Clone)]
struct LeftPrompt {
    prompt: UserMessage,
    /// Whether claude may have received the prompt on the earlier host.
    is_sent: bool,
    /// Whether the prompt was copied to the log of this claim.
    is_carried: bool,
}

impl LeftPrompt {
    fn is(&self, uuid: &MessageUuid) -> bool {
        self.prompt.uuid.as_ref() == Some(uuid)
    }
}

#[derive(Debug, PartialEq)]
enum Phase {
    /// Prompts are accepted.
    Open,
    /// No more prompts are accepted, for this reason. The records of accepted prompts stay.
    Refusing(Refusal),
    /// The conversation was closed on request. The records of its prompts were removed.
    Left,
}

/// The reason why a session accepts no more prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server ends.
    ServerEnds,
    /// Another host has claimed the session.
    Superseded,
    /// The store was unreachable for so long that this host has given up its claim.
    GivenUp,
}

impl Refusal {
    /// Returns the reason why a prompt is not accepted.
    pub(super) fn of_prompt(self) -> &'static str {
        match self {
            Self::ServerEnds => "the server ends",
            Self::Superseded => "another host has the session now: send the prompt again",
            Self::GivenUp => {
                "the store is away, and this host has given the session up: send the prompt again later"
            }
        }
    }

    /// Returns the text that viewers see if the session is closed before all prompts are answered.
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
        config_dir: Option<PathBuf>,
        unsaid: Option<PathBuf>,
        log: Option<Arc<PromptLog>>,
        left: Left,
    ) -> Self {
        let left_prompts = left.prompts.into_iter().map(|cut| LeftPrompt {
            prompt: cut.prompt,
            is_sent: cut.is_sent,
            is_carried: false,
        });
        let open = OpenPrompts {
            marks: HashMap::new(),
            unsaid,
            phase: Phase::Open,
            left: left_prompts.collect(),
            left_logs: left.logs,
        };
        Self {
            marks,
            moves,
            folder,
            config_dir,
            open: Mutex::new(open),
            log: Mutex::new(log),
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenPrompts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the folder of the project.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the session's configuration folder, if the server uses several.
    pub(super) fn config_dir(&self) -> Option<&Path> {
        self.config_dir.as_deref()
    }

    /// Records that a prompt is accepted. The prompt must have a UUID. Blocks.
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
            // The transcript contains no conversation. Everything that it contains about the prompt is also in the record
            // of the prompt. So the transcript is renamed, and claude can begin a session with this ID.
            let aside = unsaid.with_extension("jsonl.unsaid");
            std::fs::rename(&unsaid, aside).map_err(HubError::Unkept)?;
        }
        // The caller continues the session under this ID. So a record that the session has moved to another ID no
        // longer applies.
        self.moves.forget(session);
        let mark = if let Some(log) = self.log() {
            // The prompt is removed from the list of earlier prompts before it is accepted. Otherwise `end_left` could
            // copy it to the log after it has ended.
            let left = self.take_left(uuid);
            let accepted = Handle::current().block_on(log.accept(uuid, prompt));
            if accepted.is_err() {
                self.open().left.extend(left);
            }
            accepted
                .map(|()| Mark::Store(log))
                .map_err(io::Error::other)
        } else {
            let config_dir = self.config_dir.as_deref();
            let marked = self.marks.accept(session, &self.folder, config_dir, prompt);
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

    /// Returns the log in the store that records accepted prompts. Returns `None` if they are recorded on disk.
    pub(super) fn log(&self) -> Option<Arc<PromptLog>> {
        let log = self.log.lock();
        log.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the log. Called when the session continues under another ID, which has its own log.
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

    /// Removes the record that a prompt is unanswered. The prompt has a result, or viewers know why it has none. Blocks.
    pub(super) fn finish(&self, uuid: &MessageUuid, is_answered: bool) {
        let mark = {
            let mut open = self.open();
            // If the claim is lost, the record stays, so that the host that has now claimed the session finds the prompt.
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

    /// Removes the records of the prompts that earlier servers left unanswered, because the session has continued since
    /// then. The records of the prompts in `unsent` stay, because claude has never received these prompts. Blocks.
    pub(super) fn settle(&self, session: &SessionId, unsent: &[MessageUuid]) {
        self.end_left(session, |uuid| !unsent.contains(uuid));
    }

    /// Removes the record of a prompt that an earlier server left unanswered, at a person's request. Blocks.
    pub(super) fn dismiss(&self, session: &SessionId, uuid: &MessageUuid) {
        self.end_left(session, |left| left == uuid);
    }

    /// Records which prompts of earlier servers have ended: those for which `has_ended` returns `true`. Copies the other
    /// prompts to the log of this claim, and removes the logs of earlier claims. Blocks.
    fn end_left(&self, session: &SessionId, has_ended: impl Fn(&MessageUuid) -> bool) {
        if self.marks.is_cut(session) {
            self.marks.settle(session, &has_ended);
        }
        let (Some(log), Ok(runtime)) = (self.log(), Handle::try_current()) else {
            return;
        };
        let (ended, carried, logs) = {
            let mut open = self.open();
            let has_ended = |left: &LeftPrompt| left.prompt.uuid.as_ref().is_none_or(&has_ended);
            let ended: Vec<_> = open.left.extract_if(.., |left| has_ended(left)).collect();
            let carried = open.left.iter().filter(|left| !left.is_carried);
            let carried: Vec<_> = carried.cloned().collect();
            (ended, carried, std::mem::take(&mut open.left_logs))
        };
        if ended.is_empty() && logs.is_empty() {
            return;
        }
        runtime.block_on(async {
            end_carried(&log, &ended).await;
            for left in carried {
                let Some(uuid) = &left.prompt.uuid else {
                    continue;
                };
                let is_left = || {
                    let mut open = self.open();
                    let found = open.left.iter_mut().find(|left| left.is(uuid));
                    found.map(|left| left.is_carried = true).is_some()
                };
                let carry = log.carry(uuid, &left.prompt, left.is_sent, is_left);
                if let Err(error) = carry.await {
                    // The copy has failed. The logs of the earlier claims still contain the prompt, so these logs stay.
                    let id = session.as_str();
                    tracing::warn!(session.id = id, %error, "the prompts that an earlier host has left stay in its logs");
                    let mut open = self.open();
                    if let Some(left) = open.left.iter_mut().find(|left| left.is(uuid)) {
                        left.is_carried = false;
                    }
                    open.left_logs.extend(logs);
                    return;
                }
            }
            log.remove(logs).await;
        });
    }

    /// Removes a prompt from the list of prompts that earlier claims have left unanswered, and returns it.
    fn take_left(&self, uuid: &MessageUuid) -> Option<LeftPrompt> {
        let mut open = self.open();
        let at = open.left.iter().position(|left| left.is(uuid))?;
        Some(open.left.remove(at))
    }

    /// Returns the reason why no more prompts are accepted. Returns `None` if prompts are accepted, or if the
    /// conversation was closed on request.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        match self.open().phase {
            Phase::Refusing(why) => Some(why),
            Phase::Open | Phase::Left => None,
        }
    }

    /// Refuses further prompts. If prompts are already refused, the earlier reason stays.
    pub(super) fn refuse(&self, why: Refusal) {
        let mut open = self.open();
        if open.phase == Phase::Open {
            open.phase = Phase::Refusing(why);
        }
    }

    /// Removes the records of all unanswered prompts, including those of earlier servers, and refuses further prompts.
    /// Blocks.
    pub(super) fn leave(&self, session: &SessionId) {
        let (marks, left, logs) = {
            let mut open = self.open();
            open.phase = Phase::Left;
            let (left, logs) = open.take_left();
            (std::mem::take(&mut open.marks), left, logs)
        };
        let mut stored = Vec::new();
        for (uuid, (mark, _)) in marks {
            match mark {
                Mark::Disk(mark) => mark.end(),
                Mark::Store(log) => stored.push((uuid, log)),
            }
        }
        if let (Some(log), Ok(runtime)) = (self.log(), Handle::try_current()) {
            // A separate task writes to the store, because the caller may run in an async task and must not block
            // there.
            runtime.spawn(async move {
                for (uuid, log) in stored {
                    log.end(&uuid).await;
                }
                end_carried(&log, &left).await;
                log.remove(logs).await;
                log.release().await;
            });
        }
        self.marks.settle(session, |_| true);
    }

    /// Returns the prompts that this server has accepted and not answered.
    pub(super) fn unanswered(&self) -> Vec<Unanswered> {
        let open = self.open();
        let unanswered = open.marks.iter().map(|(uuid, (_, is_sent))| Unanswered {
            uuid: uuid.as_str().to_owned(),
            sent: *is_sent,
        });
        unanswered.collect()
    }
}

/// Records in the log that prompts of earlier claims have ended, if they were copied to this log.
async fn end_carried(log: &PromptLog, left: &[LeftPrompt]) {
    for left in left.iter().filter(|left| left.is_carried) {
        if let Some(uuid) = &left.prompt.uuid {
            log.end(uuid).await;
        }
    }
}

impl Mark {
    /// Removes the record of the prompt. Blocks.
    fn end(self, uuid: &MessageUuid) {
        match self {
            Self::Disk(mark) => mark.end(),
            Self::Store(log) => Handle::current().block_on(log.end(uuid)),
        }
    }
}

impl OpenPrompts {
    /// Takes the prompts that earlier claims have left unanswered, and the logs that contain them.
    fn take_left(&mut self) -> (Vec<LeftPrompt>, Vec<StoreKey>) {
        let left = std::mem::take(&mut self.left);
        (left, std::mem::take(&mut self.left_logs))
    }

    fn accepts(&self) -> Result<(), HubError> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Refusing(why) => Err(HubError::Busy(why.of_prompt())),
            Phase::Left => Err(CLOSED),
        }
    }
}
