//! Changes, a case for each rule.

use std::fs;

use serde_json::{Value, json};

use super::{Change, change};
use crate::sessions::transcript::transcript;
use crate::sessions::world::World;
use xtask::run::Result;

/// A case for each rule.
pub(super) fn named(world: &mut World, changes: &mut Vec<Change>) -> Result {
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
