//! Notices about kept entries. A kept entry is an entry of a session that a host found only on its own disk, after another
//! host had continued the session. The entry can no longer become a part of the conversation, so the store keeps it beside
//! the conversation.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use claw_client::store::{Kept, kept_notices};

/// The notices about the kept entries of a session, which are not part of the conversation. Each notice names the entry
/// after which it is shown.
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

    /// Takes the notices that name an entry that is not in the conversation.
    pub(super) fn rest(&mut self) -> Vec<String> {
        let mut rest: Vec<_> = std::mem::take(&mut self.by_place).into_iter().collect();
        rest.sort();
        rest.into_iter().flat_map(|(_, notices)| notices).collect()
    }
}

/// How many of the kept entries of a live session its viewers have already received.
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

    /// Returns whether the kept entries should be read again, because the last read was at least `pause` ago. If so, this call
    /// counts as the new read.
    pub(super) fn is_due(&mut self, pause: Duration) -> bool {
        let is_due = self
            .read_at
            .is_none_or(|read_at| read_at.elapsed() >= pause);
        if is_due {
            self.read_at = Some(Instant::now());
        }
        is_due
    }

    /// Returns the notices about the kept entries that were added since the last call.
    pub(super) fn take_new(&mut self, kept: &[Kept]) -> Vec<String> {
        let new = kept.get(self.count..).unwrap_or_default();
        self.count += new.len();
        let notices = kept_notices(new).into_iter();
        notices.map(|notice| notice.text).collect()
    }
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
