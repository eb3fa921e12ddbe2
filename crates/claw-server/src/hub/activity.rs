//! What goes on in all sessions, for lists that stay current.

use std::collections::HashMap;
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
use crate::limits::{LoginLimits, ReportedLimits};

/// How many sessions a list of the busy ones has at most. Those that ask come first.
const MOST_SHOWN: usize = 200;

/// The busy sessions of a hub.
pub(crate) struct Activity {
    inner: Mutex<Inner>,
    /// The number of the newest state.
    newest: watch::Sender<u64>,
    next_key: AtomicU64,
    /// What sessions have reported of the limits of the login.
    pub(crate) limits: ReportedLimits,
    /// Changes of what lists say of sessions.
    pub(crate) edits: Edits,
    #[cfg(feature = "notify")]
    listeners: std::sync::RwLock<Vec<Listener>>,
}

/// Who is told of occasions.
#[cfg(feature = "notify")]
type Listener = Box<dyn Fn(super::occasion::Occasion) + Send + Sync>;

#[derive(Default)]
struct Inner {
    number: u64,
    busy: HashMap<u64, Busy>,
    /// The newest state as it was written last, with its number.
    written: Option<(u64, Arc<BusySessions>)>,
}

/// A session in which something goes on.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Busy {
    pub(crate) id: SessionId,
    pub(crate) project: String,
    pub(crate) title: Option<String>,
    pub(crate) phase: Phase,
    /// Since when it is in this phase, in milliseconds since 1970.
    pub(crate) since: i64,
}

impl Busy {
    /// Whether a request waits for a person, with a process or without one.
    pub(crate) fn asks(&self) -> bool {
        matches!(self.phase, Phase::Asking | Phase::Deferred)
    }
}

/// All sessions in which something goes on, at one moment.
#[derive(Debug)]
pub(crate) struct BusySessions {
    /// How many ask a person.
    pub(crate) asking: usize,
    /// Those that ask, oldest first, and then the others, newest first.
    pub(crate) sessions: Vec<Busy>,
}

impl Activity {
    /// Nothing goes on. These limits are known from an earlier server.
    pub(super) fn new(limits: LoginLimits) -> Self {
        Self {
            inner: Mutex::default(),
            newest: watch::Sender::default(),
            next_key: AtomicU64::default(),
            limits: ReportedLimits::new(limits),
            edits: Edits::default(),
            #[cfg(feature = "notify")]
            listeners: std::sync::RwLock::default(),
        }
    }

    /// The key of a new conversation, under which it reports.
    pub(super) fn key(&self) -> u64 {
        self.next_key.fetch_add(1, Ordering::Relaxed)
    }

    /// Has occasions go there. The listener must not wait: it is called while a conversation is locked.
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

    /// Tells the listener of what has changed in a conversation, if a person wants to know it.
    #[cfg(feature = "notify")]
    pub(super) fn tell(
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

    /// Takes what has changed in a conversation.
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

    /// What goes on at this moment. Made once for all who look.
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

    /// Takes what a session reports of the limits of the login.
    pub(super) fn report_limits(&self, info: &RateLimitInfo) {
        self.limits.report(info, now());
    }

    /// The limits of the login, as a session reported them last.
    pub(crate) fn limits(&self) -> LoginLimits {
        self.limits.at(now())
    }

    /// Somebody who is told what goes on.
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

/// Somebody who is told what goes on: always the newest, and nothing of what was in between.
#[derive(Debug)]
pub(crate) struct ActivityWatch {
    activity: Arc<Activity>,
    newest: watch::Receiver<u64>,
}

impl ActivityWatch {
    /// What goes on, at first at once, and then whenever it has changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Arc<BusySessions> {
        // The sender is in what this holds.
        let _ = self.newest.changed().await;
        self.activity.busy()
    }
}
