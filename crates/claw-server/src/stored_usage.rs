//! Reads the usage of the sessions in a store, and caches the usage for the next report.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use claw_client::store::{
    Retry, SessionIndex, SessionRef, StoredError, StoredSession, StoredSessions,
};
use claw_sessions::{SessionAnswers, UsageCache};
use claw_types::SessionId;
use futures::{StreamExt as _, stream};

use crate::hub::{Hub, Listed};

/// Maximum number of cached answers of the model. They need about 80 MB. If there are more, the oldest sessions are not
/// counted.
const MOST: usize = 400_000;

/// Maximum number of concurrent reads of sessions.
const READS: usize = 4;

/// The time for which a session may still change after the last line of its own transcript. In this time, sub-agents may
/// still write to their transcripts, and hosts may still store kept entries (see `hub/kept.rs`). The list does not show
/// these changes, because it contains only the time of the session's own transcript.
const LATER: Duration = Duration::from_hours(1);

/// The cached answers of the model, for each session.
#[derive(Debug, Default)]
pub(crate) struct StoredAnswers(HashMap<SessionId, Kept>);

#[derive(Debug)]
struct Kept {
    modified: i64,
    revision: Option<String>,
    /// The number of kept entries (see `hub/kept.rs`) that the session had when it was read.
    beside: usize,
    /// Whether the session was old enough when it was read, so that its answers are complete. The session is read again
    /// only if the list contains another time for it.
    is_final: bool,
    answers: Arc<SessionAnswers>,
}

/// The sessions of the store, for one report.
#[derive(Debug, Default)]
pub(crate) struct StoredUsage {
    pub(crate) sessions: Vec<StoredUse>,
    /// The number of sessions that are not counted.
    pub(crate) not_counted: usize,
    /// Whether the list of the store's sessions may be incomplete.
    pub(crate) is_part: bool,
}

/// A session of the store.
#[derive(Debug)]
pub(crate) struct StoredUse {
    pub(crate) project: String,
    pub(crate) listed: StoredSession,
    pub(crate) answers: Arc<SessionAnswers>,
}

impl StoredAnswers {
    /// Reads the sessions that have changed since the last read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. The sessions that were already read stay in the cache.
    pub(crate) async fn read(&mut self, hub: &Hub, cache: &UsageCache) -> StoredUsage {
        let (Some(store), Some(index)) = (hub.stored_sessions(), hub.store_index()) else {
            return StoredUsage::default();
        };
        // The list determines which sessions are read. So a new list is read, and the cached list is not used.
        hub.forget_stored();
        let (listed, is_whole) = hub.stored_and_whole().await;
        self.0.retain(|id, _| listed.contains_key(id));
        let mut newest_first: Vec<_> = listed.iter().collect();
        newest_first.sort_by_key(|(_, (_, session))| std::cmp::Reverse(session.modified));
        let unread: Vec<_> = newest_first
            .iter()
            .filter(|(id, (_, session))| {
                let kept = self.0.get(*id);
                kept.is_none_or(|kept| !kept.is_current(session))
            })
            .map(|(id, (_, session))| {
                let known = self.0.get(*id).filter(|known| {
                    known.modified == session.modified
                        && session.revision.is_none()
                        && !known.answers.has_subagents()
                });
                (
                    (*id).clone(),
                    session.clone(),
                    known.map(|known| known.beside),
                )
            })
            .collect();
        let mut room = MOST.saturating_sub(self.answers());
        let mut reads = stream::iter(unread)
            .map(|(id, session, known)| async move {
                let read = read_changed(store, index, &session, cache, known).await;
                (id, session, read)
            })
            .buffered(READS);
        let mut has_failed = false;
        while let Some((id, session, read)) = reads.next().await {
            let read = match read {
                Ok(Some(read)) => Ok(read),
                Ok(None) => {
                    if let Some(known) = self.0.get_mut(&id) {
                        known.is_final = is_old(session.modified);
                    }
                    continue;
                }
                Err(error) => Err(error),
            };
            // The cached answers are outdated, because the session has changed.
            let known = self.0.remove(&id).map_or(0, |known| known.answers.count());
            room += known;
            match read {
                Ok((beside, answers)) if answers.count() <= room => {
                    if answers.unreadable() > 0 {
                        let (id, lines) = (session.session.session(), answers.unreadable());
                        tracing::warn!(
                            session.id = id,
                            lines,
                            "a report of the usage leaves out lines that cannot be read"
                        );
                    }
                    room -= answers.count();
                    let kept = Kept {
                        modified: session.modified,
                        revision: session.revision.clone(),
                        beside,
                        is_final: is_old(session.modified),
                        answers: Arc::new(answers),
                    };
                    self.0.insert(id, kept);
                }
                Ok(_) => {}
                // The session was deleted after the list was read, so it is not counted.
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    let id = session.session.session();
                    tracing::warn!(session.id = id, %error, "a report of the usage leaves out a session");
                    // If the store cannot be reached, no further sessions are read.
                    has_failed =
                        matches!(&error, StoredError::Store(error) if error.retry() != Retry::No);
                }
            }
            if has_failed {
                break;
            }
        }
        drop(reads);
        if is_whole {
            forget_deleted(hub, index, &listed).await;
        }
        let mut usage = StoredUsage {
            is_part: !is_whole,
            ..StoredUsage::default()
        };
        for (id, (project, session)) in newest_first {
            match self.0.get(id) {
                Some(kept) if kept.modified == session.modified => {
                    usage.sessions.push(StoredUse {
                        project: project.clone(),
                        listed: session.clone(),
                        answers: kept.answers.clone(),
                    });
                }
                _ => usage.not_counted += 1,
            }
        }
        usage
    }

    fn answers(&self) -> usize {
        self.0.values().map(|kept| kept.answers.count()).sum()
    }
}

impl Kept {
    /// Returns whether the session has not changed since it was read, according to the list.
    fn is_current(&self, listed: &StoredSession) -> bool {
        if listed.revision.is_some() {
            return self.revision == listed.revision;
        }
        self.modified == listed.modified && self.is_final
    }
}

/// Reads a session. Returns `None` if the store reports no revision, and the number of kept entries (see `hub/kept.rs`) is
/// still `known`. The session has then not changed.
async fn read_changed(
    store: &StoredSessions,
    index: &SessionIndex,
    listed: &StoredSession,
    cache: &UsageCache,
    known: Option<usize>,
) -> Result<Option<(usize, SessionAnswers)>, StoredError> {
    let mut beside = 0;
    // A revision also changes when kept entries are stored. So the kept entries are counted only if the store reports no
    // revision.
    if listed.revision.is_none() {
        beside = store.kept(&listed.session).await?.len();
        if known == Some(beside) {
            return Ok(None);
        }
    }
    let answers = index.answers(listed, cache).await?;
    Ok(Some((beside, answers)))
}

/// Removes from the index the sessions that are not in the list.
async fn forget_deleted(hub: &Hub, index: &SessionIndex, listed: &Listed) {
    for project in hub.projects() {
        let name = project.stored_name();
        let of_project = listed.values().map(|(_, session)| &session.session);
        let of_project: HashSet<SessionRef> = of_project
            .filter(|session| session.project() == name)
            .cloned()
            .collect();
        if let Err(error) = index.retain(Some(&name), of_project).await {
            tracing::warn!(%error, "the index of the store cannot be written");
        }
    }
}

/// Returns whether a session is so old that sub-agents no longer write to it and hosts no longer store kept entries of it.
/// `modified` is the time at which it was last written, by the store's clock.
fn is_old(modified: i64) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().saturating_sub(LATER).as_millis();
    u128::try_from(modified).is_ok_and(|modified| modified < now)
}
