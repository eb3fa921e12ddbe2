//! What claw writes, beside what the official packages write.
//!
//! Each side changes a copy of the same folders. Then the files are compared, with new ids and times made alike.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claw_sessions::{Error, Session, Sessions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compare::differences;
use super::reasons::{self, Reason};
use super::transcript::transcript;
use super::world::World;
use crate::parity;
use crate::run::{Result, read};
use crate::workspace::Workspace;

/// Why claw writes something else where it does.
const REASONS: &[Reason] = &[];

/// A change that each side makes.
#[derive(Debug, Serialize)]
struct Change {
    case: String,
    what: &'static str,
    id: String,
    /// The title or the tag.
    text: Option<String>,
    up_to: Option<String>,
}

/// What came of it.
#[derive(Debug, Deserialize)]
struct Outcome {
    /// The session that was made.
    id: Option<String>,
    error: Option<String>,
}

/// Changes so many generated transcripts and those of the named cases; what is wrong.
pub(super) fn compare(workspace: &Workspace, seed: u64, count: usize) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let mut world = World::new(folder.path(), seed.wrapping_add(77))?;
    let mut changes = Vec::new();
    named(&mut world, &mut changes)?;
    generated(&mut world, &mut changes, count)?;
    let side = |name: &str| -> Result<PathBuf> {
        let config = folder.path().join(name);
        copy(&world.config, &config)?;
        let file = folder.path().join(format!("{name}.json"));
        fs::write(
            file,
            json!({"config": config, "changes": changes}).to_string(),
        )?;
        Ok(config)
    };
    let ours = side("ours")?;
    let sessions = Sessions::new(&ours);
    let our_outcomes: Vec<_> = changes
        .iter()
        .map(|change| outcome(&sessions, change))
        .collect();

    let typescript = side("typescript")?;
    let mut node = Command::new("node");
    node.arg(workspace.root.join("xtask/src/sessions/writing.mjs"));
    node.arg(parity::package(workspace)?)
        .arg(folder.path().join("typescript.json"));
    let python = side("python")?;
    let mut script = Command::new(super::interpreter(workspace)?);
    script.arg(workspace.root.join("xtask/src/sessions/writing.py"));
    script.arg(folder.path().join("python.json"));

    let mut problems = Vec::new();
    for (sdk, config, command) in [
        ("TypeScript", &typescript, &mut node),
        ("Python", &python, &mut script),
    ] {
        let lines = read(command)?;
        let outcomes = lines.lines().map(serde_json::from_str);
        let outcomes: Vec<Outcome> = outcomes.collect::<std::result::Result<_, _>>()?;
        let mut found = BTreeMap::new();
        let mut different = 0;
        for ((change, ours_is), theirs_is) in changes.iter().zip(&our_outcomes).zip(&outcomes) {
            let one = written(&ours, change, ours_is)?;
            let other = written(config, change, theirs_is)?;
            let all = differences(&one, &other);
            different += usize::from(!all.is_empty());
            for difference in all {
                let key = (
                    change.case.clone(),
                    format!("{}{}", change.what, difference.field),
                );
                let entry = found.entry(key).or_insert_with(|| {
                    let up_to = change.up_to.as_deref().unwrap_or_default();
                    (0, format!("{} {up_to} {}", change.id, difference.values))
                });
                entry.0 += 1;
            }
        }
        println!(
            "{sdk}: {} changes, {} written alike",
            changes.len(),
            changes.len() - different
        );
        problems.extend(reasons::judge_by(REASONS, sdk, &found));
    }
    Ok(problems)
}

/// A case for each rule.
fn named(world: &mut World, changes: &mut Vec<Change>) -> Result {
    let (directory, folder) = world.project("named")?;
    let cwd = directory.to_string_lossy().into_owned();
    let texts: [(&str, &'static str, &[Option<&str>]); 3] = [
        (
            "titles",
            "rename",
            &[
                Some(" Sums "),
                Some("日本 \"q\" \\ \u{1}"),
                Some("\u{feff}x\u{a0}"),
                Some("\u{85}x"),
                Some(""),
                Some(" \n"),
                Some("a\u{200b}b"),
                Some("\u{1f600}"),
            ],
        ),
        (
            "tags",
            "tag",
            &[
                Some("work"),
                Some(" ﬁ\u{200b}x "),
                Some("\u{200b}"),
                Some(""),
                None,
                Some("a\u{e000}\u{378}b"),
                Some("e\u{200d}\u{301}"),
                Some("Ｎｅｗ"),
                Some("\u{1f468}\u{200d}\u{1f469}"),
                Some("\u{ad}soft"),
                Some("½ ™"),
            ],
        ),
        ("other changes", "archive", &[None]),
    ];
    for (case, what, all) in texts {
        for text in all {
            let id = world.random.uuid();
            let made = transcript(&mut world.random, &id, &cwd);
            world.write(&folder, &id, &made)?;
            changes.push(change(case, what, &id, text.map(str::to_owned), None));
        }
    }
    for what in ["unarchive", "delete"] {
        let id = world.random.uuid();
        let made = transcript(&mut world.random, &id, &cwd);
        world.write(&folder, &id, &made)?;
        fs::create_dir_all(folder.join(&id).join("subagents"))?;
        fs::write(folder.join(&id).join("subagents/agent-a.jsonl"), "{}\n")?;
        changes.push(change("other changes", what, &id, None, None));
    }
    for id in ["00000000-0000-4000-8000-000000000000", "no-uuid"] {
        for what in ["rename", "tag", "archive", "unarchive", "delete", "fork"] {
            changes.push(change(
                "no such session",
                what,
                id,
                Some("x".to_owned()),
                None,
            ));
        }
    }
    for (case, lines) in conversations() {
        let id = world.random.uuid();
        let text = lines.iter().map(|line| {
            let mut line = line.clone();
            if line["sessionId"].is_null() {
                line["sessionId"] = json!(id);
            }
            format!("{line}\n")
        });
        let text: String = text.collect();
        world.write(&folder, &id, text.as_bytes())?;
        changes.push(change(case, "fork", &id, None, None));
        changes.push(change(case, "fork", &id, Some(" Other ".to_owned()), None));
        let mut ends: Vec<_> = lines
            .iter()
            .filter_map(|line| line["uuid"].as_str())
            .collect();
        ends.push("00000000-0000-4000-8000-00000000dead");
        for end in ends {
            changes.push(change(case, "fork", &id, None, Some(end.to_owned())));
        }
    }
    Ok(())
}

fn change(
    case: &str,
    what: &'static str,
    id: &str,
    text: Option<String>,
    up_to: Option<String>,
) -> Change {
    Change {
        case: case.to_owned(),
        what,
        id: id.to_owned(),
        text,
        up_to,
    }
}

fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

/// A line that follows another one.
fn link(number: u32, parent: Option<u32>, kind: &str, more: Value) -> Value {
    let mut line = json!({
        "type": kind, "uuid": uuid(number), "parentUuid": parent.map(uuid), "isSidechain": false,
        "timestamp": format!("2026-06-01T00:00:{:02}.000Z", number % 60),
        "message": {"role": kind, "content": format!("words {number}")},
    });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn conversations() -> Vec<(&'static str, Vec<Value>)> {
    let turn = |number, parent| {
        link(
            number,
            parent,
            if number % 2 == 1 { "user" } else { "assistant" },
            json!({}),
        )
    };
    let plain = || {
        vec![
            turn(1, None),
            turn(2, Some(1)),
            turn(3, Some(2)),
            turn(4, Some(3)),
        ]
    };
    let boundary = |number: u32, metadata: Value| {
        link(
            number,
            None,
            "system",
            json!({"subtype": "compact_boundary", "message": null,
            "logicalParentUuid": uuid(4), "compactMetadata": metadata}),
        )
    };
    let with = |more: Vec<Value>| plain().into_iter().chain(more).collect::<Vec<_>>();
    let summary = |number, parent| {
        link(
            number,
            Some(parent),
            "user",
            json!({"isCompactSummary": true}),
        )
    };
    let note = |line: Value| line;
    vec![
        ("fork of a plain one", plain()),
        (
            "fork: fields that go",
            vec![
                turn(1, None),
                link(
                    2,
                    Some(1),
                    "assistant",
                    json!({"teamName": "t", "agentName": "a", "slug": "s", "sessionKind": "daemon",
                "sourceToolAssistantUUID": uuid(1), "turnAttributionKey": "k", "sentAsUuid": "x",
                "summarizedTurnPromptUuids": [], "droppedPromptUuids": [], "rowsAheadOfPutBack": 1}),
                ),
            ],
        ),
        (
            "fork: progress",
            vec![
                turn(1, None),
                link(10, Some(1), "progress", json!({})),
                link(11, Some(10), "progress", json!({})),
                turn(3, Some(11)),
                turn(4, Some(3)),
            ],
        ),
        (
            "fork: compaction",
            with(vec![
                boundary(5, json!({"trigger": "auto", "preTokens": 9})),
                summary(7, 5),
                turn(8, Some(7)),
            ]),
        ),
        (
            "fork: compaction that kept messages",
            with(vec![
                boundary(
                    5,
                    json!({"preservedMessages": {"anchorUuid": uuid(7), "uuids": [uuid(3), uuid(4)], "allUuids": [uuid(3)]},
                "runningTurnSends": [uuid(3)], "postTokens": 3}),
                ),
                summary(7, 5),
                turn(8, Some(7)),
                turn(9, Some(8)),
            ]),
        ),
        (
            "fork: compaction that kept a segment",
            with(vec![
                boundary(
                    5,
                    json!({"preservedSegment": {"anchorUuid": uuid(7), "headUuid": uuid(3), "tailUuid": uuid(4)}}),
                ),
                summary(7, 5),
                turn(8, Some(4)),
            ]),
        ),
        (
            "fork: branches",
            with(vec![
                turn(5, Some(2)),
                turn(6, Some(5)),
                turn(7, Some(4)),
                turn(8, Some(7)),
                turn(9, Some(6)),
            ]),
        ),
        (
            "fork: parallel tools",
            vec![
                turn(1, None),
                link(
                    2,
                    Some(1),
                    "assistant",
                    json!({"message": {"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": "t1"}]}}),
                ),
                link(
                    4,
                    Some(2),
                    "assistant",
                    json!({"message": {"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": "t2"}]}}),
                ),
                link(
                    3,
                    Some(2),
                    "user",
                    json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]}}),
                ),
                link(
                    5,
                    Some(4),
                    "user",
                    json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2"}]}}),
                ),
                turn(6, Some(5)),
            ],
        ),
        (
            "fork: attachments",
            with(vec![
                link(
                    5,
                    Some(4),
                    "attachment",
                    json!({"attachment": {"type": "queued_command", "prompt": "x", "source_uuid": uuid(77)}}),
                ),
                link(
                    6,
                    Some(5),
                    "attachment",
                    json!({"attachment": {"type": "queued_command", "prompt": "x", "source_uuid": uuid(3)}}),
                ),
                link(
                    7,
                    Some(6),
                    "attachment",
                    json!({"attachment": {"type": "deferred_tools_record", "nameOnlyAnnouncements": [uuid(3), "gone"]}}),
                ),
                turn(9, Some(7)),
            ]),
        ),
        (
            "fork: a refusal",
            with(vec![
                link(
                    5,
                    Some(4),
                    "system",
                    json!({"subtype": "model_refusal_fallback"}),
                ),
                turn(7, Some(5)),
            ]),
        ),
        (
            "fork: notes",
            with(vec![
                note(json!({"type": "content-replacement", "replacements": [{"a": 1}, 7]})),
                note(
                    json!({"type": "content-replacement", "sessionId": "other", "replacements": [{"b": 1}]}),
                ),
                note(json!({"type": "content-replacement", "replacements": [{"c": 1}]})),
                note(json!({"type": "history-suppression", "cause": "x"})),
                note(
                    json!({"type": "hybrid-organization", "organizationUuid": uuid(9).to_uppercase()}),
                ),
                note(json!({"type": "atis-latch", "atis": "one"})),
                note(json!({"type": "atis-latch", "atis": "two"})),
                note(json!({"type": "tools-used", "tools": ["Bash"]})),
                note(json!({"type": "relocated", "relocatedCwd": "/new"})),
                note(json!({"type": "custom-title", "customTitle": "Sums"})),
                note(json!({"type": "last-prompt", "lastPrompt": "words 3"})),
            ]),
        ),
        (
            "fork: where data comes from",
            with(vec![note(
                json!({"type": "derived-from", "v": 1, "sessions": [{"type": "claude_code_session", "id": uuid(8), "via": "fork"}]}),
            )]),
        ),
        (
            "fork of a fork",
            vec![
                link(
                    1,
                    None,
                    "user",
                    json!({"forkedFrom": {"sessionId": uuid(50), "messageUuid": uuid(51)}}),
                ),
                link(
                    2,
                    Some(1),
                    "assistant",
                    json!({"forkedFrom": {"sessionId": uuid(50), "messageUuid": uuid(52)}}),
                ),
            ],
        ),
        (
            "fork: nothing to fork",
            vec![link(10, None, "progress", json!({}))],
        ),
        (
            "fork: titles of a model",
            with(vec![note(
                json!({"type": "ai-title", "aiTitle": "By a model"}),
            )]),
        ),
    ]
}

fn generated(world: &mut World, changes: &mut Vec<Change>, count: usize) -> Result {
    const CASE: &str = "generated";
    let (directory, folder) = world.project("generated")?;
    let cwd = directory.to_string_lossy().into_owned();
    for _ in 0..count {
        let id = world.random.uuid();
        let text = transcript(&mut world.random, &id, &cwd);
        world.write(&folder, &id, &text)?;
        let text = String::from_utf8_lossy(&text);
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ends: Vec<_> = lines
            .filter_map(|line| line["uuid"].as_str().map(str::to_owned))
            .collect();
        changes.push(change(CASE, "fork", &id, None, None));
        for _ in 0..2 {
            if let Some(end) = world.random.one_of(&ends) {
                changes.push(change(CASE, "fork", &id, None, Some(end.clone())));
            }
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// What claw does.
fn outcome(sessions: &Sessions, change: &Change) -> Outcome {
    let made = || -> std::result::Result<Option<Session>, Error> {
        let session = sessions.find(&change.id)?;
        let text = change.text.as_deref();
        match (change.what, text) {
            ("rename", _) => session.rename(text.unwrap_or_default())?,
            ("tag", Some(tag)) => session.tag(tag)?,
            ("tag", None) => session.untag()?,
            ("archive", _) => session.archive()?,
            ("unarchive", _) => session.unarchive()?,
            ("delete", _) => session.delete()?,
            _ => {
                let mut fork = session.fork();
                if let Some(title) = text {
                    fork = fork.title(title);
                }
                if let Some(up_to) = &change.up_to {
                    fork = fork.up_to(up_to.as_str());
                }
                return fork.run().map(Some);
            }
        }
        Ok(None)
    };
    match made() {
        Ok(session) => Outcome {
            id: session.map(|session| session.id().as_str().to_owned()),
            error: None,
        },
        Err(error) => Outcome {
            id: None,
            error: Some(error.to_string()),
        },
    }
}

/// What a side has written, with what is new made alike.
fn written(config: &Path, change: &Change, outcome: &Outcome) -> Result<Value> {
    if outcome.error.is_some() {
        return Ok(json!({"failed": true}));
    }
    let source = files(config, &change.id)?;
    let Some(fork) = &outcome.id else {
        return Ok(json!(source));
    };
    let known: BTreeSet<String> = lines(&source, &change.id)?.iter().flat_map(texts).collect();
    let mut lines = lines(&files(config, fork)?, fork)?;
    let mut names: HashMap<String, String> = HashMap::from([(fork.clone(), "the fork".to_owned())]);
    for line in &lines {
        if let Some(new) = line["uuid"].as_str() {
            let old = line["forkedFrom"]["messageUuid"]
                .as_str()
                .unwrap_or("a note");
            names.insert(new.to_owned(), format!("the copy of {old}"));
        }
    }
    for line in &mut lines {
        alike(line, &names, &known);
    }
    Ok(json!(lines))
}

/// The session's files, by their names.
fn files(config: &Path, id: &str) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for project in fs::read_dir(config.join("projects"))? {
        let project = project?.path();
        for name in [
            format!("{id}.jsonl"),
            format!("{id}/archived.json"),
            format!("{id}/subagents/agent-a.jsonl"),
        ] {
            if let Ok(bytes) = fs::read(project.join(&name)) {
                let mut text = String::from_utf8_lossy(&bytes).into_owned();
                if name.ends_with("archived.json") {
                    let mut record: Value = serde_json::from_str(&text)?;
                    record["at"] = json!("now");
                    text = record.to_string();
                }
                found.insert(name, text);
            }
        }
    }
    Ok(found)
}

fn lines(files: &BTreeMap<String, String>, id: &str) -> Result<Vec<Value>> {
    let text = files
        .get(&format!("{id}.jsonl"))
        .ok_or_else(|| format!("{id} was not written"))?;
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

fn texts(line: &Value) -> Vec<String> {
    ["timestamp", "ts"]
        .iter()
        .filter_map(|key| line[key].as_str().map(str::to_owned))
        .collect()
}

fn alike(value: &mut Value, names: &HashMap<String, String>, known: &BTreeSet<String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| alike(item, names, known)),
        Value::Object(members) => {
            for (key, value) in members {
                let is_time = key == "timestamp" || key == "ts";
                match value {
                    Value::String(text) if is_time && !known.contains(text) => {
                        "now".clone_into(text)
                    }
                    value => alike(value, names, known),
                }
            }
        }
        _ => {}
    }
}
