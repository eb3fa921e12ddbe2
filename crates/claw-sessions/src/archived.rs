//! Reads whether a session is archived.

use std::path::Path;

use claw_types::Json;
use serde_json::Value;

use crate::head_tail::HeadTail;
use crate::prompt::texts;
use crate::scan::{has, lines};
use crate::{file, prompt, time};

/// Returns whether the session is archived, according to the file in the session's folder. Returns `false` if a person
/// has written a prompt since that file was written, and `None` if the session was never archived.
pub(crate) fn archived(folder: &Path, ends: &HeadTail) -> Option<bool> {
    let record = Json::from_text(file::small(&folder.join("archived.json"))?).ok()?;
    let is_archived = record.get("archived")?.as_bool()?;
    let at = time::parse(record.get("at")?.as_str()?.as_bytes())?;
    let is_newer = |line: &[u8]| prompted_at(line).is_some_and(|then| then > at);
    Some(is_archived && !lines(ends.tail()).chain(lines(ends.head())).any(is_newer))
}

/// Returns the time of a line with a prompt of a person, or `None` for any other line.
fn prompted_at(line: &[u8]) -> Option<i64> {
    let is_candidate = has(line, b"\"user\"") || has(line, b"\"queued_command\"");
    if !is_candidate || has(line, b"\"tool_result\"") {
        return None;
    }
    let entry: Value = serde_json::from_str(&crate::scan::text(line)).ok()?;
    let is_own = |value: &Value| value.is_null() || *value == false;
    let (content, origin, hidden) = match entry["type"].as_str()? {
        "user" => {
            let hidden = [
                "isCompactSummary",
                "isSidechain",
                "isVirtual",
                "isVisibleInTranscriptOnly",
                "isMeta",
                "textNotTyped",
                "handedOff",
                "queueSkipAttachments",
            ];
            let is_hidden = hidden.iter().any(|key| !is_own(&entry[key]));
            let is_of_tool = [
                "toolUseResult",
                "persist",
                "wakeupSource",
                "scheduledTaskId",
            ];
            let is_hidden = is_hidden || is_of_tool.iter().any(|key| entry.get(key).is_some());
            (&entry["message"]["content"], &entry["origin"], is_hidden)
        }
        "attachment" if entry["attachment"]["type"] == "queued_command" => {
            let command = &entry["attachment"];
            let is_hidden = !is_own(&entry["isSidechain"]) || !is_own(&command["isMeta"]);
            (&command["prompt"], &command["origin"], is_hidden)
        }
        _ => return None,
    };
    if hidden || !origin.is_null() && origin["kind"] != "human" {
        return None;
    }
    let has_text = texts(content).iter().any(|text| prompt::is_words(text));
    (has_text || prompt::kind_of_media(content).is_some()).then_some(())?;
    time::parse(entry["timestamp"].as_str()?.as_bytes())
}
