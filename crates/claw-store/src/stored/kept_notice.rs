//! Creates texts for people about the kept entries of a session.

use std::fmt::Write as _;

use claw_types::api::ContentBlock;
use claw_types::transcript::Entry;

use super::kept::Kept;

/// The maximum length of a notice, in bytes. A longer notice is cut.
const MOST: usize = 64 << 10;

/// A notice for people about kept entries. All of them were written by one host at one position of the conversation.
/// Made by [`kept_notices`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptNotice {
    /// The UUID of the entry after which the notice is shown. `None` if it is shown before all entries.
    pub after: Option<String>,
    /// The text of the notice, in several lines. It contains the name of the host and the texts of the entries. These
    /// texts are not escaped for a terminal.
    pub text: String,
}

/// Returns the notices about kept entries. There is one notice for each host and each position at which the host has
/// written. A text that is too long is cut, and its last line reports that.
pub fn kept_notices(kept: &[Kept]) -> Vec<KeptNotice> {
    let notice = |group: &[Kept]| KeptNotice {
        after: group[0].after.clone(),
        text: notice(group),
    };
    groups(kept).map(notice).collect()
}

/// Groups the entries by host and position. An entry of a sub-agent belongs to the group of the entry before it.
fn groups(kept: &[Kept]) -> impl Iterator<Item = &[Kept]> {
    kept.chunk_by(|one, other| {
        let is_same_place = one.after == other.after || other.transcript.is_some();
        one.host == other.host && is_same_place
    })
}

/// Returns the text of the notice about these entries. One host has written all of them at one position.
fn notice(group: &[Kept]) -> String {
    let mut text = format!(
        "Written on host {}, not taken over: another host had gone on with the session.",
        group[0].host
    );
    let mut others = 0;
    for kept in group {
        let message = match serde_json::from_str(&kept.line) {
            Ok(entry) if kept.transcript.is_none() => role_and_text(&entry),
            _ => None,
        };
        match message {
            // Writing to a `String` cannot fail.
            Some((role, message)) => drop(write!(text, "\n{role}: {message}")),
            None => others += 1,
        }
    }
    if text.len() > MOST {
        let mut end = MOST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("…\n(The rest is in the store.)");
    }
    if others > 0 {
        let entries = if others == 1 { "entry" } else { "entries" };
        let _ = write!(text, "\n({others} {entries} without a text.)");
    }
    text
}

/// Returns the role and the text of an entry. Returns `None` if the entry has no text.
fn role_and_text(entry: &Entry) -> Option<(&'static str, String)> {
    let (role, text) = match entry {
        Entry::User(entry) => ("You", entry.message.content.text()),
        Entry::Assistant(entry) => {
            let mut parts = Vec::new();
            for block in &entry.message.content {
                match block {
                    ContentBlock::Text(text) => parts.push(text.text.clone()),
                    ContentBlock::ToolUse(tool) => parts.push(format!("[uses {}]", tool.name)),
                    _ => {}
                }
            }
            ("Claude", parts.join("\n"))
        }
        _ => return None,
    };
    (!text.is_empty()).then_some((role, text))
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
    fn what_a_host_wrote_at_one_place_is_one_notice() {
        let text = json!([{"type": "text", "text": "Plum."}]);
        let records = [
            kept("http://one", "a", &entry("user", &json!("Which?"))),
            kept("http://one", "a", &entry("assistant", &text)),
            kept("http://one", "a", &json!({"type": "attachment"})),
            kept("http://two", "b", &json!({"type": "user"})),
        ];
        let notices = kept_notices(&records);
        let expected = "Written on host http://one, not taken over: another host had gone on with the session.\n\
                        You: Which?\nClaude: Plum.\n(1 entry without a text.)";
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert_eq!(notices[0].text, expected);
        assert_eq!(notices[0].after.as_deref(), Some("a"));
        assert_eq!(notices[1].after.as_deref(), Some("b"));
        assert!(notices[1].text.contains("http://two"), "{notices:?}");
    }

    #[test]
    fn a_long_text_is_cut_and_marked() {
        let long = json!("ü".repeat(MOST));
        let shown = notice(&[kept("h", "a", &entry("user", &long))]);
        assert!(shown.len() < MOST + 64 && shown.contains("rest is in the store"));
    }
}
