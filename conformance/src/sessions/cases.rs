//! A named case for each rule.

mod chains;
mod metadata;
mod places;

use serde_json::{Value, json};

use self::chains::chains;
use self::metadata::metadata;
use super::world::World;
use xtask::run::Result;

/// Returns a link of a transcript, which is a line with a UUID and a parent: `u1<a1` is the user's
/// link u1 with the parent a1. The short names are used as UUIDs.
fn link(text: &str, more: Value) -> Value {
    let (name, parent) = text.split_once('<').unwrap_or((text, ""));
    let kind = match name.as_bytes().first() {
        Some(b'a') => "assistant",
        Some(b's') => "system",
        Some(b'p') => "progress",
        Some(b'q') => "attachment",
        _ => "user",
    };
    let parent = if parent.is_empty() {
        Value::Null
    } else {
        json!(parent)
    };
    let mut line = json!({"parentUuid": parent, "isSidechain": false, "type": kind, "uuid": name,
        "timestamp": "2026-06-01T10:00:00.000Z", "sessionId": "s", "cwd": "/work/project",
        "message": {"role": kind, "content": name, "id": name}});
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn links(all: &str) -> Vec<Value> {
    all.split_whitespace()
        .map(|text| link(text, json!({})))
        .collect()
}

fn text(lines: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    (lines.join("\n") + "\n").into_bytes()
}

fn calls(name: &str, message: &str, ids: &[&str]) -> Value {
    let blocks: Vec<Value> = ids
        .iter()
        .map(|id| json!({"type": "tool_use", "id": id, "name": "Bash"}))
        .collect();
    link(
        name,
        json!({"message": {"role": "assistant", "id": message, "content": blocks}}),
    )
}

fn results(name: &str, ids: &[&str]) -> Value {
    let block = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    let blocks: Vec<Value> = ids.iter().map(block).collect();
    link(
        name,
        json!({"message": {"role": "user", "content": blocks}}),
    )
}

fn user(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    link(
        "u1",
        json!({"message": {"role": "user", "content": content}}),
    )
}

fn boundary(metadata: impl Into<Value>) -> Value {
    let metadata: Value = metadata.into();
    link(
        "s1",
        json!({"subtype": "compact_boundary", "logicalParentUuid": "a1", "compactMetadata": metadata}),
    )
}

/// Creates all named cases.
pub(super) fn make(world: &mut World) -> Result {
    for (at, (name, lines)) in chains().into_iter().chain(metadata()).enumerate() {
        let (directory, folder) = world.project(&format!("case-{at}"))?;
        let id = world.session(&folder, &text(&lines))?;
        world.ask_all(name, &id, &directory);
        let dir = directory.to_string_lossy().into_owned();
        for options in [
            json!({"limit": 1}),
            json!({"offset": 1}),
            json!({"limit": 1, "offset": 1}),
        ] {
            world.ask(name, "messages", &id, options);
        }
        let options = json!({"dir": dir, "includeProgrammatic": false});
        world.ask(name, "list", "", options);
    }
    places::beside(world)?;
    places::between(world)?;
    places::places(world)?;
    places::continued(world)?;
    places::worktrees(world)?;
    places::agents(world)
}
