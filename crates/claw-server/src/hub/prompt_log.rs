//! Logs of the accepted prompts of a session, in the store beside the session's transcripts. When another host claims
//! the session, the logs show which prompts the previous host has not answered.
//!
//! Each claim has its own log, so that a host that has lost its claim changes nothing in its successor's log. Every
//! line contains the claim's epoch, and the store refuses lines of an older epoch. A line records that a prompt was
//! accepted, that it is about to be sent to claude, or that it has ended.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use claw_client::store::{
    Batch, Lease, Line, ReadSessions, SessionRef, SessionStore, StoreError, StoreKey,
    StoredSessions, Subpath, WriterId,
};
use claw_types::MessageUuid;
use claw_types::message::UserMessage;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::marks::CutPrompt;

/// Prefix of the names of prompt logs in the store.
const BEGIN: &str = "claw/prompts-";
/// The size from which a log is replaced by a new one, in bytes. A log is replaced only if all its prompts have ended.
const LONG: usize = 256 << 10;
/// Maximum number of unreadable lines that are shown.
const MOST_UNREADABLE: usize = 16;
/// Maximum length of the excerpt of an unreadable line, in bytes.
const EXCERPT: usize = 4096;
/// Maximum number of sessions for which this host remembers ended prompts that it could not write to the log. If the log
/// never records that a prompt has ended, the prompt is shown as unanswered again, but does not run again.
const MOST_UNWRITTEN: usize = 10_000;
/// Maximum time for writing to the log that a prompt has ended.
const END: Duration = Duration::from_secs(5);

/// The log of the prompts that were accepted under one claim of a session.
pub(super) struct PromptLog {
    store: Arc<dyn SessionStore>,
    session: SessionRef,
    /// The claim of the session. `None` after the session was released.
    lease: Mutex<Option<Lease>>,
    writing: tokio::sync::Mutex<Writing>,
    ends: Arc<UnwrittenEnds>,
}

/// The prompts that have ended on this host although their log does not record that, because the store was unreachable.
/// This host writes these records when it claims the sessions again.
#[derive(Debug, Default)]
pub(super) struct UnwrittenEnds(Mutex<HashMap<SessionRef, Vec<MessageUuid>>>);

impl UnwrittenEnds {
    fn add(&self, session: &SessionRef, prompt: &MessageUuid) {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() < MOST_UNWRITTEN || ends.contains_key(session) {
            ends.entry(session.clone())
                .or_default()
                .push(prompt.clone());
        }
    }

    fn take(&self, session: &SessionRef) -> Vec<MessageUuid> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ends.remove(session).unwrap_or_default()
    }
}

struct Writing {
    key: StoreKey,
    writer: WriterId,
    number: u64,
    bytes: usize,
    /// Whether the store may contain a line although no response about this line arrived.
    is_unsure: bool,
    /// The prompts that have not ended.
    open: HashSet<MessageUuid>,
}

/// The state of a prompt in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Accepted,
    Sent,
    #[serde(rename = "over")]
    Ended,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The UUID of the prompt. The field is not named `uuid`, because a store accepts each `uuid` only once.
    id: MessageUuid,
    state: State,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<UserMessage>,
}

/// The contents of the logs that earlier claims of a session have left.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The prompts that were not answered, oldest first.
    pub(super) prompts: Vec<CutPrompt>,
    /// Excerpts of the first unreadable lines.
    pub(super) unreadable: Vec<String>,
    /// The keys of the logs that were read.
    pub(super) logs: Vec<StoreKey>,
}

impl Writing {
    fn new(lease: &Lease) -> Result<Self, StoreError> {
        // All logs of a claim are written by one host. So the times on that host's clock are enough to sort the logs.
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = at.map_or(0, |at| at.as_micros());
        let own = uuid::Uuid::new_v4().simple();
        let name = format!("{BEGIN}{:020}-{at:020}-{own}", lease.epoch().0);
        let subpath = Subpath::new(&name).map_err(StoreError::refused)?;
        Ok(Self {
            key: lease.session().at(subpath),
            writer: WriterId::random(),
            number: 0,
            bytes: 0,
            is_unsure: false,
            open: HashSet::new(),
        })
    }
}

impl PromptLog {
    pub(super) fn new(
        store: Arc<dyn SessionStore>,
        lease: Lease,
        ends: Arc<UnwrittenEnds>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            ends,
            store,
            session: lease.session().clone(),
            writing: tokio::sync::Mutex::new(Writing::new(&lease)?),
            lease: Mutex::new(Some(lease)),
        })
    }

    pub(super) fn lease(&self) -> Option<Lease> {
        let lease = self.lease.lock();
        lease.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the sessions of the store.
    pub(super) fn stored(&self) -> StoredSessions {
        StoredSessions::new(self.store.clone())
    }

    /// Whether the claim is lost or released, so that another host may have the session.
    pub(super) fn is_lost(&self) -> bool {
        self.lease().is_none_or(|lease| lease.is_lost())
    }

    pub(super) async fn accept(
        &self,
        uuid: &MessageUuid,
        prompt: &UserMessage,
    ) -> Result<(), StoreError> {
        self.append(uuid, State::Accepted, Some(prompt)).await
    }

    pub(super) async fn sent(&self, uuid: &MessageUuid) -> Result<(), StoreError> {
        self.append(uuid, State::Sent, None).await
    }

    /// Copies a prompt of an earlier claim to this log. `is_left` is called under the log's lock, and returns whether
    /// the prompt is still unanswered. If it returns `false`, nothing is written.
    pub(super) async fn carry(
        &self,
        uuid: &MessageUuid,
        prompt: &UserMessage,
        is_sent: bool,
        is_left: impl FnOnce() -> bool,
    ) -> Result<(), StoreError> {
        let mut writing = self.writing.lock().await;
        if !is_left() {
            return Ok(());
        }
        self.append_to(&mut writing, uuid, State::Accepted, Some(prompt))
            .await?;
        if is_sent {
            self.append_to(&mut writing, uuid, State::Sent, None)
                .await?;
        }
        Ok(())
    }

    /// Writes to the log that a prompt has ended. If this fails, this host tries again when it claims the session again.
    pub(super) async fn end(&self, uuid: &MessageUuid) {
        self.try_end(uuid).await;
    }

    /// Writes to the log that a prompt has ended. If this fails, returns `false`, and this host tries again when it claims
    /// the session again.
    async fn try_end(&self, uuid: &MessageUuid) -> bool {
        let ended = tokio::time::timeout(END, self.append(uuid, State::Ended, None)).await;
        let why = match ended {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the store does not answer".to_owned(),
        };
        let (id, project) = (self.session.session(), self.session.project());
        tracing::warn!(
            session.id = id,
            project,
            why,
            "that a prompt is over is not kept yet"
        );
        self.end_later(uuid);
        false
    }

    /// Remembers that a prompt has ended. This host writes that to the log when it claims the session again.
    pub(super) fn end_later(&self, uuid: &MessageUuid) {
        self.ends.add(&self.session, uuid);
    }

    /// Writes to the log which prompts have ended, if this host could not write that under earlier claims. Returns these
    /// prompts.
    pub(super) async fn end_earlier(&self) -> Vec<MessageUuid> {
        let ends = self.ends.take(&self.session);
        let mut is_there = true;
        for uuid in &ends {
            if is_there {
                is_there = self.try_end(uuid).await;
            } else {
                self.end_later(uuid);
            }
        }
        ends
    }

    async fn append(
        &self,
        uuid: &MessageUuid,
        state: State,
        prompt: Option<&UserMessage>,
    ) -> Result<(), StoreError> {
        let mut writing = self.writing.lock().await;
        self.append_to(&mut writing, uuid, state, prompt).await
    }

    async fn append_to(
        &self,
        writing: &mut Writing,
        uuid: &MessageUuid,
        state: State,
        prompt: Option<&UserMessage>,
    ) -> Result<(), StoreError> {
        let lease = self.lease().filter(|lease| !lease.is_lost());
        let lease =
            lease.ok_or_else(|| StoreError::refused("another host may have the session by now"))?;
        let record = Record {
            id: uuid.clone(),
            state,
            prompt: prompt.cloned(),
        };
        let text = serde_json::to_string(&record).map_err(StoreError::refused)?;
        let lines = [Line::new(text).map_err(StoreError::refused)?];
        if writing.is_unsure {
            let next = self.store.next_number(&writing.key, &writing.writer);
            writing.number = next.await?;
        }
        writing.is_unsure = true;
        let batch = Batch {
            writer: &writing.writer,
            number: writing.number,
            lines: &lines,
            epoch: Some(lease.epoch()),
        };
        self.store.append(&writing.key, batch).await?;
        writing.is_unsure = false;
        writing.number += 1;
        writing.bytes += lines[0].as_str().len();
        match state {
            State::Accepted => {
                writing.open.insert(uuid.clone());
            }
            State::Sent => {}
            State::Ended => {
                writing.open.remove(uuid);
            }
        }
        if writing.open.is_empty() && writing.bytes > LONG {
            let new = Writing::new(&lease)?;
            let old = std::mem::replace(writing, new);
            delete(&*self.store, &old.key).await;
        }
        Ok(())
    }

    /// Releases the session. Removes the log first, if all its prompts have ended.
    pub(super) async fn release(&self) {
        if !self.is_lost() {
            self.end_earlier().await;
        }
        let writing = self.writing.lock().await;
        if writing.number > 0 && writing.open.is_empty() && !self.is_lost() {
            delete(&*self.store, &writing.key).await;
        }
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        *lease = None;
    }

    /// Removes the logs that earlier claims have left.
    pub(super) async fn remove(&self, logs: Vec<StoreKey>) {
        for log in logs {
            delete(&*self.store, &log).await;
        }
    }
}

impl std::fmt::Debug for PromptLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PromptLog")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Removes a log. If the removal fails, the next claim reads the log and finds no unanswered prompts in it.
async fn delete(store: &dyn SessionStore, key: &StoreKey) {
    if let Some(deletes) = store.deletes()
        && let Err(error) = deletes.delete(key).await
    {
        let id = key.session().session();
        tracing::warn!(session.id = id, %key, %error, "a log of prompts stays");
    }
}

/// Returns the keys of the logs of a session, oldest claim first.
pub(super) async fn logs_of(
    store: &dyn ReadSessions,
    session: &SessionRef,
) -> Result<Vec<StoreKey>, StoreError> {
    let Some(subkeys) = store.subkeys() else {
        return Ok(Vec::new());
    };
    let mut logs = subkeys.subkeys(session).await?;
    logs.retain(|path| path.as_str().starts_with(BEGIN));
    logs.sort();
    Ok(logs.into_iter().map(|path| session.at(path)).collect())
}

/// Reads the logs that earlier claims have left. The session must be claimed, so that no line is added meanwhile.
pub(super) async fn read(
    store: &dyn ReadSessions,
    session: &SessionRef,
) -> Result<Left, StoreError> {
    let logs = logs_of(store, session).await?;
    let mut prompts: Vec<Option<CutPrompt>> = Vec::new();
    let mut places = HashMap::new();
    let mut unreadable = Vec::new();
    for log in &logs {
        let mut lines = store.load(log);
        while let Some(line) = lines.try_next().await? {
            let text = line.line.as_str();
            let record: Record = match serde_json::from_str(text) {
                Ok(record) => record,
                Err(error) => {
                    // Another version of the server wrote the line, or the line is damaged. Viewers see the line, and
                    // reading continues.
                    let id = session.session();
                    tracing::warn!(session.id = id, %log, line = line.position, %error, "a line of a log of prompts cannot be read");
                    if unreadable.len() < MOST_UNREADABLE {
                        unreadable.push(excerpt(text));
                    }
                    continue;
                }
            };
            let known = places.get(&record.id).copied();
            match (record.state, record.prompt, known) {
                (State::Accepted, Some(prompt), None) => {
                    places.insert(record.id, prompts.len());
                    prompts.push(Some(CutPrompt {
                        prompt,
                        is_sent: false,
                    }));
                }
                (State::Sent, _, Some(at)) => {
                    if let Some(prompt) = &mut prompts[at] {
                        prompt.is_sent = true;
                    }
                }
                (State::Ended, _, Some(at)) => {
                    prompts[at] = None;
                    places.remove(&record.id);
                }
                _ => {}
            }
        }
    }
    let prompts = prompts.into_iter().flatten().collect();
    Ok(Left {
        prompts,
        unreadable,
        logs,
    })
}

/// Returns the beginning of an unreadable line.
fn excerpt(text: &str) -> String {
    let mut end = text.len().min(EXCERPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
