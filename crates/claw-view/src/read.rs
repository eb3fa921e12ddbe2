//! Lines of any sort, read.

use claw_types::dialect::{self, Dialect, Fill, Today};
use claw_types::transcript::Entry;
use claw_types::{Json, Map, from_line};

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Read {
    /// A line that `claude` writes or reads; an older one as today's.
    Today(Today),
    /// A line of a transcript.
    Entry(Entry),
    /// An older form that says only that what came before was replaced by a summary.
    Compacted,
    /// An older form that ends a turn: the session waits for the person.
    InputRequired,
    /// A form of which claw knows no more than its kind.
    Other(String),
    /// No line that can be read, and why.
    Unreadable(String),
}

/// Reads a line of any sort, as [`Timeline`](crate::Timeline) and [`Flow`](crate::Flow) do. `number`, that
/// of the line, names what an older form leaves without a name.
///
/// ```
/// use claw_view::{Read, read};
///
/// assert!(matches!(read(r#"{"type":"keep_alive"}"#, 1), Read::Today(_)));
/// assert!(matches!(read("{", 2), Read::Unreadable(_)));
/// ```
pub fn read(line: &str, number: u64) -> Read {
    // Only lines of transcripts have that key; one that merely speaks of it is no such line.
    if line.contains("\"sessionId\"")
        && let Some(entry) = entry(line)
    {
        return Read::Entry(entry);
    }
    match dialect::from_line(line.as_bytes()) {
        Ok(Dialect::Today(today)) if !today.is_unknown() => Read::Today(today),
        Ok(Dialect::Today(today)) => entry(line).map_or(Read::Today(today), Read::Entry),
        Ok(Dialect::CompactBoundary(_)) => Read::Compacted,
        Ok(Dialect::InputRequired(_)) => Read::InputRequired,
        Ok(old) => match old.upgrade(&fill(number)) {
            Ok(today) => Read::Today(today),
            Err(_) => Read::Other(kind(line)),
        },
        Err(error) => Read::Unreadable(error.to_string()),
    }
}

/// The line of a transcript, if it is one that claw knows.
fn entry(line: &str) -> Option<Entry> {
    let entry: Entry = from_line(line.as_bytes()).ok()?;
    (!matches!(entry, Entry::Unknown(_))).then_some(entry)
}

/// What lines of older forms lack.
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

/// What a line says that it is.
fn kind(line: &str) -> String {
    let json: Option<Map<Json>> = serde_json::from_str(line).ok();
    let kind = json.as_ref().and_then(|json| json.get("type"));
    kind.and_then(|kind| kind.parse().ok())
        .unwrap_or_else(|| "unknown".to_owned())
}
