//! Stores sessions while they are written.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::pin;
use std::time::{Duration, Instant};

use claw_sessions::{Change, Session, Watching};
use futures::StreamExt as _;
use futures::future::{Either, select};

use super::{AT_ONCE, Run, SessionSync, SyncOutcome, Synced};
use crate::stored::StoredError;
use crate::{Retry, StoreError, pool};

/// The pause after the first failure of a session. It doubles with each failure.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause after a failure.
const LONGEST: Duration = Duration::from_mins(1);

/// The maximum time that is spent waiting for a change before other work is done.
const STEP: Duration = Duration::from_secs(5);

/// The maximum number of changes that are handled together.
const CHANGES: usize = 1000;

/// A session that must be stored at the time `due`.
struct Pending {
    session: Session,
    due: Instant,
}

/// The last failure of a session: the pause until the next attempt, and the reason.
struct Failure {
    pause: Duration,
    reason: String,
}

impl SessionSync {
    /// Stores the lines that the store lacks, as [`run`](Self::run) does. After that, stores each further line when it
    /// is written. When the future `stop` is ready, stores the lines that were written so far, and returns. `synced` is
    /// called for each session whose outcome is not [`Unchanged`](SyncOutcome::Unchanged).
    ///
    /// The system reports which files change. Because some file systems report nothing, the names and times of the
    /// sessions are also read every two seconds, or less often if that takes long. Lines that are not stored yet are
    /// not held in memory, but read from their files.
    ///
    /// If the store is unreachable or the session is claimed, storing the session is repeated after 1 s, 2 s, and so on
    /// up to a minute. Such a failure is reported once for each reason. After any other error, storing the session is
    /// repeated only when the session changes.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`run`](Self::run).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the lines that were already stored remain in the store. A later call stores the others.
    pub async fn watch(
        &self,
        stop: impl Future<Output = ()>,
        mut synced: impl FnMut(Synced),
    ) -> Result<(), StoredError> {
        let run = self.begin().await?;
        let mut stop = pin!(stop);
        let (sessions, directory) = (self.sessions.clone(), self.directory.clone());
        let watching = pool::run(move || match directory {
            Some(directory) => sessions.watch().project(directory).run(),
            None => sessions.watch().run(),
        });
        let mut watching = watching.await;
        let mut pending: HashMap<PathBuf, Pending> = HashMap::new();
        let mut failures: HashMap<PathBuf, Failure> = HashMap::new();
        loop {
            let now = Instant::now();
            let first = pending.values().map(|pending| pending.due).min();
            let most = first.map_or(STEP, |due| due.saturating_duration_since(now));
            let next = pool::run(move || next(watching, most.min(STEP)));
            let changes = match select(stop.as_mut(), pin!(next)).await {
                Either::Left(_) => {
                    let changed = |done: Synced| match done.outcome {
                        SyncOutcome::Unchanged => {}
                        _ => synced(done),
                    };
                    return self.run(changed).await;
                }
                Either::Right(((rest, changes), _)) => {
                    watching = rest;
                    changes
                }
            };
            let now = Instant::now();
            for change in changes {
                match change {
                    Change::Added(session) | Change::Changed(session) => {
                        let path = session.transcript().to_owned();
                        // If the session already waits for the end of a pause after a failure, a change does not
                        // shorten this pause.
                        let pending = pending.entry(path).or_insert(Pending {
                            session: session.clone(),
                            due: now,
                        });
                        pending.session = session;
                    }
                    Change::Removed { transcript, .. } => {
                        pending.remove(&transcript);
                        failures.remove(&transcript);
                    }
                    _ => {}
                }
            }
            let due = pending.extract_if(|_, pending| pending.due <= now);
            let due: Vec<_> = due.map(|(_, pending)| pending.session).collect();
            for (path, failed) in store(&run, due, &mut failures, &mut synced).await {
                pending.insert(path, failed);
            }
        }
    }
}

/// Stores sessions. Returns those that could not be stored and must be tried again.
async fn store(
    run: &Run<'_>,
    sessions: Vec<Session>,
    failures: &mut HashMap<PathBuf, Failure>,
    synced: &mut impl FnMut(Synced),
) -> Vec<(PathBuf, Pending)> {
    let mut again = Vec::new();
    let mut all = futures::stream::iter(sessions)
        .map(|session| run.session(session))
        .buffer_unordered(AT_ONCE);
    while let Some(done) = all.next().await {
        let path = done.session.transcript().to_owned();
        let before = failures.remove(&path);
        match &done.outcome {
            SyncOutcome::Unchanged => {}
            SyncOutcome::Failed(StoredError::Store(error)) if can_succeed(error) => {
                let reason = kind(error);
                let pause = before
                    .as_ref()
                    .map_or(FIRST, |before| (2 * before.pause).min(LONGEST));
                let session = done.session.clone();
                let due = Instant::now() + pause;
                again.push((path.clone(), Pending { session, due }));
                let is_new = before.is_none_or(|before| before.reason != reason);
                failures.insert(path, Failure { pause, reason });
                if is_new {
                    synced(done);
                }
            }
            _ => synced(done),
        }
    }
    again
}

/// Waits for changes, but no longer than `most`. Returns the changes that have arrived.
fn next(mut watching: Watching, most: Duration) -> (Watching, Vec<Change>) {
    let mut changes: Vec<_> = watching.next(most).into_iter().collect();
    while !changes.is_empty() && changes.len() < CHANGES {
        match watching.next(Duration::ZERO) {
            Some(change) => changes.push(change),
            None => break,
        }
    }
    (watching, changes)
}

fn can_succeed(error: &StoreError) -> bool {
    error.retry() != Retry::No || error.is_superseded()
}

/// Returns the text of an error without the times in it. These change with each attempt, so they would make each report
/// differ.
fn kind(error: &StoreError) -> String {
    match error {
        StoreError::Held { owner, .. } => format!("held by {owner}"),
        error => error.to_string(),
    }
}
