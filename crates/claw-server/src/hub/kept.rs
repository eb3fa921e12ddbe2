//! Notices about kept entries: entries of a session that only the disk of one host had when another host had already
//! continued the session.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use claw_client::store::{
    Brought, Epoch, Kept, SessionRef, StoredError, bring, kept_notices, recover,
};
use claw_types::SessionId;
use tokio::time::{sleep, timeout};

use super::key::reference;
use super::{Hub, HubError, Inner, LiveSession};

/// Maximum wait for the end of the process of a closed session. The process stores its last lines before its end.
const ENDS: Duration = Duration::from_secs(25);

/// The notices about the kept entries of a session, each with the entry after which it is shown.
#[derive(Debug, Default)]
pub(super) struct KeptNotices {
    by_place: HashMap<String, Vec<String>>,
    /// The notices that are shown before all entries.
    first: Vec<String>,
    /// The number of kept entries.
    pub(super) count: usize,
}

impl KeptNotices {
    pub(super) fn of(kept: &[Kept]) -> Self {
        let mut notices = Self {
            count: kept.len(),
            ..Self::default()
        };
        for notice in kept_notices(kept) {
            let place = match notice.after {
                Some(after) => notices.by_place.entry(after).or_default(),
                None => &mut notices.first,
            };
            place.push(notice.text);
        }
        notices
    }

    /// Takes the notices that are shown before all entries.
    pub(super) fn first(&mut self) -> Vec<String> {
        std::mem::take(&mut self.first)
    }

    /// Takes the notices that are shown after this line of the transcript.
    pub(super) fn after(&mut self, line: Option<&[u8]>) -> Vec<String> {
        #[derive(serde::Deserialize)]
        struct Named {
            uuid: String,
        }
        if self.by_place.is_empty() {
            return Vec::new();
        }
        let named = line.and_then(|line| serde_json::from_slice::<Named>(line).ok());
        let found = named.and_then(|named| self.by_place.remove(&named.uuid));
        found.unwrap_or_default()
    }

    /// Takes the notices whose place is not in the conversation.
    pub(super) fn rest(&mut self) -> Vec<String> {
        let mut rest: Vec<_> = std::mem::take(&mut self.by_place).into_iter().collect();
        rest.sort();
        rest.into_iter().flat_map(|(_, notices)| notices).collect()
    }
}

/// The kept entries that the viewers of a live session have already received.
#[derive(Debug, Default)]
pub(super) struct ShownKept {
    count: usize,
    /// The time at which the kept entries were last read from the store.
    read_at: Option<Instant>,
}

impl ShownKept {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            read_at: Some(Instant::now()),
        }
    }

    /// Whether the kept entries should be read again. If so, the pause begins again.
    fn is_due(&mut self, pause: Duration) -> bool {
        let is_due = self
            .read_at
            .is_none_or(|read_at| read_at.elapsed() >= pause);
        if is_due {
            self.read_at = Some(Instant::now());
        }
        is_due
    }

    /// The notices about the entries that were kept since the last call.
    fn take_new(&mut self, kept: &[Kept]) -> Vec<String> {
        let new = kept.get(self.count..).unwrap_or_default();
        self.count += new.len();
        let notices = kept_notices(new).into_iter();
        notices.map(|notice| notice.text).collect()
    }
}

impl Hub {
    /// Stores the entries of a session that only this host's disk has. In a store with claims, the caller must have
    /// claimed the session.
    pub(super) async fn bring(
        &self,
        session: &SessionRef,
        epoch: Option<Epoch>,
    ) -> Result<Brought, StoredError> {
        match &self.inner.store {
            Some(store) => bring(store.options(), self.sessions(), session, epoch).await,
            None => Ok(Brought::default()),
        }
    }

    /// Waits for the end of the process of a closed session. After that, the last lines of the process are in the store
    /// or on this disk.
    pub(super) async fn last_process(&self, id: &SessionId) {
        let ended = {
            let ending = self.inner.ending.lock();
            let ending = ending.unwrap_or_else(std::sync::PoisonError::into_inner);
            ending.get(id).cloned()
        };
        if let Some(ended) = ended {
            let _ = timeout(ENDS, ended).await;
        }
    }

    /// Shows the entries of a live session that were kept since it was read. A task reads them from the store. Two
    /// reads are at least the store's patience apart, because kept entries are rare.
    pub(super) fn update_kept(&self, live: &LiveSession) {
        let Some(store) = &self.inner.store else {
            return;
        };
        let Ok(project) = self.project(live.project()) else {
            return;
        };
        let Ok(session) = reference(project, &live.id()) else {
            return;
        };
        let shared = live.shared.clone();
        if !shared.kept().is_due(store.patience) {
            return;
        }
        let stored = store.stored().clone();
        tokio::spawn(async move {
            match stored.kept(&session).await {
                Ok(kept) => {
                    let notices = shared.kept().take_new(&kept);
                    shared.with(|conversation| {
                        for text in notices {
                            conversation.notice(&text);
                        }
                    });
                }
                Err(error) => {
                    tracing::debug!(%session, %error, "what was kept of a session is not known");
                }
            }
        });
    }

    /// The number of entries that this host has kept beside conversations. `None` without a store.
    pub(crate) fn kept_entries(&self) -> Option<u64> {
        Some(self.inner.store.as_ref()?.options().kept_entries())
    }

    /// Returns the notices about the kept entries of a session.
    pub(super) async fn kept_notices(&self, session: &SessionRef) -> Result<KeptNotices, HubError> {
        let Some(store) = &self.inner.store else {
            return Ok(KeptNotices::default());
        };
        let kept = store.stored().kept(session).await?;
        Ok(KeptNotices::of(&kept))
    }
}

/// Stores the lines that earlier processes of this host have not stored, as soon as that is possible.
pub(super) fn watch(hub: &Arc<Inner>) {
    let Some(store) = &hub.store else { return };
    let (options, pause) = (store.options().clone(), store.patience);
    let hub = Arc::downgrade(hub);
    tokio::spawn(async move {
        loop {
            recover(&options).await;
            sleep(pause).await;
            let is_ending = |hub: Arc<Inner>| hub.is_ending.load(Ordering::Relaxed);
            if hub.upgrade().is_none_or(is_ending) {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(host: &str, after: &str, line: &serde_json::Value) -> Kept {
        let record = json!({"host": host, "after": after, "line": line.to_string()});
        serde_json::from_value(record).unwrap()
    }

    fn entry(kind: &str, content: &serde_json::Value) -> serde_json::Value {
        json!({"type": kind, "uuid": "u", "parentUuid": null, "isSidechain": false, "sessionId": "s", "cwd": "/",
            "version": "2.1.330", "userType": "external", "timestamp": "2026-01-01T00:00:00.000Z", "gitBranch": "",
            "message": {"role": kind, "content": content, "id": "m", "type": "message", "model": "m",
                "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}})
    }

    #[test]
    fn what_a_host_wrote_stands_in_its_place_with_its_texts() {
        let text = json!([{"type": "text", "text": "Plum."}]);
        let records = [
            kept("http://one", "a", &entry("user", &json!("Which?"))),
            kept("http://one", "a", &entry("assistant", &text)),
            kept("http://one", "a", &json!({"type": "attachment"})),
            kept("http://two", "b", &json!({"type": "user"})),
        ];
        let mut notices = KeptNotices::of(&records);
        assert_eq!(notices.after(Some(br#"{"uuid":"other"}"#)), [""; 0]);
        let shown = notices.after(Some(br#"{"uuid":"a"}"#));
        let expected = "Written on host http://one, not taken over: another host had gone on with the session.\n\
                        You: Which?\nClaude: Plum.\n(1 entry without a text.)";
        assert_eq!(shown, [expected]);
        let rest = notices.rest();
        assert!(
            rest[0].contains("http://two") && rest.len() == 1,
            "{rest:?}"
        );
        let mut shown = ShownKept::new(3);
        assert_eq!(shown.take_new(&records).len(), 1);
        assert_eq!(shown.take_new(&records).len(), 0);
    }
}
