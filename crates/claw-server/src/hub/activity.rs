//! The list of a hub's busy sessions, and watches that report its changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_types::SessionId;
use claw_types::message::RateLimitInfo;
use serde::Serialize;
use tokio::sync::watch;

use super::clock::now;
use super::edits::Edits;
use super::glance::Glance;
use crate::conversation::{Conversation, Phase};
use crate::counts::Counts;
use crate::limits::{LimitsWatch, LoginLimits, ReportedLimits};
use crate::spans::Spans;

/// Maximum number of sessions in the list of busy sessions. Sessions that wait for a person come first.
const MOST_SHOWN: usize = 200;

/// The busy sessions of a hub.
pub(crate) struct Activity {
    inner: Mutex<Inner>,
    /// The number of the newest state of the list. It increases with each change.
    newest: watch::Sender<u64>,
    next_key: AtomicU64,
    /// For each configuration folder, the usage limits of its login, as sessions have reported them. The first element belongs
    /// to the server's first folder.
    limits: Vec<(PathBuf, ReportedLimits)>,
    /// Reports changes of sessions to lists, such as a new title.
    pub(crate) edits: Edits,
    pub(crate) counts: Counts,
    pub(crate) spans: Spans,
    #[cfg(feature = "notify")]
    listeners: std::sync::RwLock<Vec<Listener>>,
}

/// A function that is called with each event that people are notified of.
#[cfg(feature = "notify")]
type Listener = Box<dyn Fn(super::occasion::Occasion) + Send + Sync>;

#[derive(Default)]
struct Inner {
    number: u64,
    busy: HashMap<u64, Busy>,
    /// The most recently created list, and the number of the state that it shows.
    written: Option<(u64, Arc<BusySessions>)>,
}

/// A session that is busy, or waits for a person.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Busy {
    pub(crate) id: SessionId,
    pub(crate) project: String,
    pub(crate) title: Option<String>,
    pub(crate) phase: Phase,
    /// The time at which this phase began, in milliseconds since 1970.
    pub(crate) since: i64,
}

impl Busy {
    /// Whether a request of the session waits for a person, with or without a running process.
    pub(crate) fn asks(&self) -> bool {
        matches!(self.phase, Phase::Asking | Phase::Deferred)
    }
}

/// All busy sessions at one moment.
#[derive(Debug)]
pub(crate) struct BusySessions {
    /// The number of sessions that wait for a person.
    pub(crate) asking: usize,
    /// The sessions that wait for a person, oldest first, and then the others, newest first.
    pub(crate) sessions: Vec<Busy>,
}

impl BusySessions {
    /// Returns the sessions of the projects for which `is_seen` returns `true`. The field `asking` counts only these
    /// sessions.
    pub(crate) fn of(&self, is_seen: impl Fn(&str) -> bool) -> Self {
        let sessions = self.sessions.iter().filter(|busy| is_seen(&busy.project));
        let sessions: Vec<_> = sessions.cloned().collect();
        Self {
            asking: sessions.iter().filter(|busy| busy.asks()).count(),
            sessions,
        }
    }
}

impl Activity {
    /// Creates a list without busy sessions. For each configuration folder, `limits` contains the usage limits that an earlier
    /// server recorded for the folder's login.
    pub(super) fn new(limits: impl IntoIterator<Item = (PathBuf, LoginLimits)>) -> Self {
        let limits = limits
            .into_iter()
            .map(|(config_dir, limits)| (config_dir, ReportedLimits::new(limits)));
        Self {
            inner: Mutex::default(),
            newest: watch::Sender::default(),
            next_key: AtomicU64::default(),
            limits: limits.collect(),
            edits: Edits::default(),
            counts: Counts::default(),
            spans: Spans::default(),
            #[cfg(feature = "notify")]
            listeners: std::sync::RwLock::default(),
        }
    }

    /// Returns a new key. One conversation uses it for all calls of [`report`](Self::report).
    pub(super) fn key(&self) -> u64 {
        self.next_key.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a function that is called with each event that people are notified of. The function must not block, because it is
    /// called while a conversation is locked.
    #[cfg(feature = "notify")]
    pub(crate) fn listen(
        &self,
        listener: impl Fn(super::occasion::Occasion) + Send + Sync + 'static,
    ) {
        let mut all = self
            .listeners
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        all.push(Box::new(listener));
    }

    /// Calls the listeners if a change of a conversation is an event that people are notified of. `before` describes
    /// the conversation before the change.
    #[cfg(feature = "notify")]
    pub(super) fn notify(
        &self,
        (id, project): (SessionId, &str),
        before: Glance,
        conversation: &Conversation,
    ) {
        let all = self
            .listeners
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if all.is_empty() {
            return;
        }
        let after = Glance::at(conversation);
        if let Some(kind) = super::occasion::kind(before, after, conversation) {
            let occasion = super::occasion::Occasion {
                kind,
                session: id,
                project: project.to_owned(),
                title: conversation.state().title.clone(),
                name: conversation.title(),
                at: now(),
            };
            all.iter().for_each(|listener| listener(occasion.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the list of busy sessions after a change of a conversation.
    pub(super) fn report(
        &self,
        key: u64,
        (id, project): (SessionId, &str),
        conversation: &Conversation,
    ) {
        let now_at = Glance::at(conversation);
        let mut inner = self.lock();
        if now_at.is_busy() {
            let known = inner.busy.get(&key);
            let since = known.filter(|known| known.phase == now_at.phase);
            let since = since.map_or_else(now, |known| known.since);
            let busy = Busy {
                id,
                project: project.to_owned(),
                title: conversation.title(),
                phase: now_at.phase,
                since,
            };
            inner.busy.insert(key, busy);
        } else if inner.busy.remove(&key).is_none() {
            return;
        }
        inner.number += 1;
        self.newest.send_replace(inner.number);
    }

    /// Returns the list of busy sessions at this moment. The list is made once per state, and all viewers share it.
    fn busy(&self) -> Arc<BusySessions> {
        let mut inner = self.lock();
        if let Some((number, written)) = &inner.written
            && *number == inner.number
        {
            return written.clone();
        }
        let mut sessions: Vec<_> = inner.busy.values().cloned().collect();
        sessions.sort_by_key(|busy| {
            if busy.asks() {
                (false, busy.since)
            } else {
                (true, -busy.since)
            }
        });
        let asking = sessions.iter().filter(|busy| busy.asks()).count();
        sessions.truncate(MOST_SHOWN);
        let all = Arc::new(BusySessions { asking, sessions });
        inner.written = Some((inner.number, all.clone()));
        all
    }

    /// Records the usage limits that a session reports for the login of its configuration folder. `None` means the server's
    /// first folder.
    pub(super) fn report_limits(&self, config_dir: Option<&Path>, info: &RateLimitInfo) {
        if let Some(limits) = self.limits_of(config_dir) {
            limits.report(info, now());
        }
    }

    /// Returns the usage limits of the login of a configuration folder, as sessions last reported them. Returns `None`
    /// if the server does not use the folder.
    pub(crate) fn limits(&self, config_dir: Option<&Path>) -> Option<LoginLimits> {
        Some(self.limits_of(config_dir)?.at(now()))
    }

    /// Returns the usage limits that sessions have reported for the login of a configuration folder. `None` means the server's
    /// first folder.
    pub(super) fn limits_of(&self, config_dir: Option<&Path>) -> Option<&ReportedLimits> {
        let mut all = self.limits.iter();
        let found = match config_dir {
            Some(config_dir) => all.find(|(of, _)| of == config_dir),
            None => all.next(),
        };
        found.map(|(_, limits)| limits)
    }

    /// Returns a watch that reports each change of the usage limits of the login in the server's first configuration folder.
    pub(crate) fn watch_limits(&self) -> LimitsWatch {
        self.limits_of(None)
            .map_or_else(LimitsWatch::ended, ReportedLimits::watch)
    }

    /// Returns a watch that receives the list after each change.
    pub(crate) fn watch(self: &Arc<Self>) -> ActivityWatch {
        let mut newest = self.newest.subscribe();
        newest.mark_changed();
        ActivityWatch {
            activity: self.clone(),
            newest,
        }
    }
}

impl std::fmt::Debug for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activity").finish_non_exhaustive()
    }
}

/// Receives the newest list of busy sessions, and skips states in between.
#[derive(Debug)]
pub(crate) struct ActivityWatch {
    activity: Arc<Activity>,
    newest: watch::Receiver<u64>,
}

impl ActivityWatch {
    /// Returns the list of busy sessions. The first call returns at once. Each later call waits for a change of the
    /// list.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Arc<BusySessions> {
        // The call fails only after the sender of the channel was dropped. `self.activity` contains the sender, so the call
        // cannot fail.
        let _ = self.newest.changed().await;
        self.activity.busy()
    }
}
