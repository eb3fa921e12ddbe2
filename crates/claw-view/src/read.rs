//! Reads a line of any kind, and determines its kind.

use claw_types::dialect::{self, Dialect, Fill, Today};
use claw_types::transcript::Entry;
use claw_types::{DecodeError, Json, Map, from_line};

/// A line that was read. Each kind of line has its own variant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Read {
    /// A line that `claude` writes or reads, in the current form of the protocol. Most lines in an older form also
    /// become this variant, because they are upgraded.
    Today(Today),
    /// An entry of a transcript.
    Entry(Entry),
    /// A line in an older form of the protocol. It reports a compaction without details.
    Compacted,
    /// A line in an older form of the protocol. It ends a turn, because the session waits for the user.
    InputRequired,
    /// A line in an older form of the protocol. The library knows the kind of the line, but cannot interpret its
    /// contents. The text is the name of the kind.
    Other(String),
    /// A line that cannot be read. The text is the reason.
    Unreadable(String),
}

/// Reads a line of any kind, in the same way as [`Timeline`](crate::Timeline) and [`Flow`](crate::Flow). `number` is
/// the number of the line. If the line has an older form without IDs, its IDs are derived from this number.
///
/// ```
/// use claw_view::{Read, read};
///
/// assert!(matches!(read(r#"{"type":"keep_alive"}"#, 1), Read::Today(_)));
/// assert!(matches!(read("{", 2), Read::Unreadable(_)));
/// ```
pub fn read(line: &str, number: u64) -> Read {
    // This key shows that the line may be an entry of a transcript. If the key is only in a nested value, `entry` does
    // not accept the line.
    if line.contains("\"sessionId\"")
        && let Ok(Some(entry)) = entry(line)
    {
        return Read::Entry(entry);
    }
    match dialect::from_line(line.as_bytes()) {
        Ok(Dialect::Today(today)) if !today.is_unknown() => Read::Today(today),
        Ok(Dialect::Today(today)) => match entry(line) {
            Ok(Some(entry)) => Read::Entry(entry),
            Ok(None) => Read::Today(today),
            // The kind of the line is known, but the line does not have the form of that kind. It
            // may be a queued prompt in an older form.
            Err(_) => match queued(line, number) {
                Some(entry) => Read::Entry(entry),
                None if line.contains("\"sessionId\"") => Read::Other(kind(line)),
                None => Read::Today(today),
            },
        },
        Ok(Dialect::CompactBoundary(_)) => Read::Compacted,
        Ok(Dialect::InputRequired(_)) => Read::InputRequired,
        Ok(old) => match old.upgrade(&fill(number)) {
            Ok(today) => Read::Today(today),
            Err(_) => Read::Other(kind(line)),
        },
        Err(error) => Read::Unreadable(error.to_string()),
    }
}

/// Parses an entry of a transcript. Returns `None` if its kind is unknown. Fails if the kind is known, but the line
/// does not have the form of this kind.
fn entry(line: &str) -> Result<Option<Entry>, DecodeError> {
    let entry: Entry = from_line(line.as_bytes())?;
    Ok((!matches!(entry, Entry::Unknown(_))).then_some(entry))
}

/// Parses a queued prompt in the form that CLIs used in April 2026. Such a prompt is not part of the transcript's
/// chain.
fn queued(line: &str, number: u64) -> Option<Entry> {
    let mut fields: Map<Json> = serde_json::from_str(line).ok()?;
    let is = |value: Option<Json>, text: &str| {
        value.is_some_and(|value| value.as_str().as_deref() == Some(text))
    };
    let is_queued = is(fields.get("type").cloned(), "attachment")
        && is(fields.get("attachment")?.get("type"), "queued_command");
    if !is_queued || fields.get("uuid").is_some() {
        return None;
    }
    let place = serde_json::json!({"uuid": format!("line.{number}"), "parentUuid": null, "isSidechain": false,
        "sessionId": "", "timestamp": ""});
    for (name, value) in place.as_object()? {
        if fields.get(name).is_none() {
            fields.insert(name, Json::from(value.clone()));
        }
    }
    from_line(&serde_json::to_vec(&fields).ok()?).ok()
}

/// Returns values for the fields that lines in older forms lack.
fn fill(number: u64) -> Fill {
    let name = format!("line.{number}");
    Fill::new("", &*name)
        .model("")
        .cwd("")
        .claude_code_version("")
        .message_id(&*name)
        .tool_use_id(format!("{name}.tool"))
        .request_id(&*name)
}

/// Returns the name of a line's kind, which the tags of the line contain.
fn kind(line: &str) -> String {
    let json: Option<Map<Json>> = serde_json::from_str(line).ok();
    let kind = json.as_ref().and_then(|json| json.get("type"));
    kind.and_then(|kind| kind.parse().ok())
        .unwrap_or_else(|| "unknown".to_owned())
}
