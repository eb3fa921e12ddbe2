//! The list of a store with summaries equals the list of the files on disk.
//!
//! Exceptions: the size of a file, because a store has no file; the archive mark and a title in a separate file,
//! because both are beside the transcript. The list of files also finds members inside of other members, such as
//! `"summary":` in a tool's result or the time of a file history's snapshot. Of a long file, it reads only the
//! beginning and the end.

use std::fs;
use std::path::Path;

use claw_sessions::Sessions;
use claw_store::{Line, Summary};
use claw_types::SessionId;
use claw_types::store::SessionInfo;
use proptest::prelude::*;

const ID: &str = "9969212f-13f2-4efc-894f-c2b4e65d5fa0";

/// Returns the list entry of a file with these lines.
fn of_file(text: &str) -> Option<SessionInfo> {
    let config = tempfile::tempdir().unwrap();
    let project = config.path().join("projects/p");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(format!("{ID}.jsonl")), text).unwrap();
    let list = Sessions::new(config.path()).list().run().unwrap();
    assert!(list.problems.is_empty());
    list.sessions.into_iter().next()
}

fn of_summary<'a>(lines: impl Iterator<Item = &'a str>, modified: i64) -> Option<SessionInfo> {
    let mut summary = Summary::default();
    for line in lines.filter_map(|line| Line::new(line).ok()) {
        // The summary is stored and parsed again, as in a store.
        let data = serde_json::to_string(summary.data()).unwrap();
        summary = Summary::from_data(serde_json::from_str(&data).unwrap());
        summary.fold(&line);
    }
    summary.info(&SessionId::from(ID), modified)
}

fn assert_same(text: &str) {
    let mut file = of_file(text);
    let modified = file
        .as_ref()
        .map_or(0, |info| info.last_modified.as_i64().unwrap());
    let mut summary = of_summary(text.lines(), modified);
    if let (Some(file), Some(summary)) = (&mut file, &mut summary) {
        assert!(file.file_size.take().is_some());
        if first_time_is_inside(text) {
            file.created_at = None;
            summary.created_at = None;
        }
    }
    assert_eq!(summary, file);
}

/// Whether the first timestamp of a transcript is inside of another member.
fn first_time_is_inside(text: &str) -> bool {
    let first = text.lines().find(|line| line.contains(r#""timestamp":"#));
    let first = first.and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    first.is_some_and(|line| line["timestamp"].is_null())
}

#[test]
fn the_recordings_are_listed_alike() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut count = 0;
    for fixture in fs::read_dir(fixtures).unwrap().map(Result::unwrap) {
        for entry in fs::read_dir(fixture.path()).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with("transcript") && name.ends_with(".ndjson") {
                assert_same(&fs::read_to_string(&path).unwrap());
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé😀 \"\\\\\n]{1,12}",
        Just("<command-name>/clear</command-name>".to_owned()),
        Just("<bash-input>ls</bash-input>".to_owned()),
        Just("<ide_opened>x".to_owned()),
        Just("[Request interrupted by user]".to_owned()),
        Just("<pasted_content id=\"ab12\">\nxx\n</pasted_content id=\"ab12\">".to_owned()),
        Just("x".repeat(300)),
    ]
}

/// Generates a line as the CLI writes it: of every kind that a list reads, and of other kinds.
fn line() -> impl Strategy<Value = String> {
    let said = (text(), any::<[bool; 4]>(), 0..4_u8).prop_map(
        |(text, [is_meta, is_side, is_compact, is_known], kind)| {
            let content = match kind {
                0 => serde_json::json!([{"type": "text", "text": text}, {"type": "image"}]),
                1 => serde_json::json!([{"type": "document"}]),
                2 => serde_json::json!([{"type": "tool_result", "content": text}]),
                _ => serde_json::json!(text),
            };
            let mut line = serde_json::json!({
                "type": "user", "uuid": "u", "isSidechain": is_side,
                "message": {"role": "user", "content": content},
            });
            if is_meta {
                line["isMeta"] = true.into();
            }
            if is_compact {
                line["isCompactSummary"] = true.into();
            }
            if is_known {
                line["timestamp"] = "2026-11-22T04:05:58.960Z".into();
                line["cwd"] = "/work/project".into();
                line["gitBranch"] = "main".into();
            }
            line
        },
    );
    let answered = text().prop_map(|text| serde_json::json!({
        "type": "assistant", "uuid": "a", "isSidechain": false, "timestamp": "2026-11-23T04:05:58.960Z",
        "cwd": "/work/project/other", "gitBranch": text, "message": {"content": [{"type": "text", "text": text}]},
    }));
    let note = |kind: &'static str, name: &'static str| {
        text().prop_map(move |text| serde_json::json!({"type": kind, name: text}))
    };
    let untagged = Just(serde_json::json!({"type": "tag", "tag": ""}));
    prop_oneof![
        4 => said,
        1 => answered,
        1 => note("custom-title", "customTitle"),
        1 => note("ai-title", "aiTitle"),
        1 => note("last-prompt", "lastPrompt"),
        1 => note("summary", "summary"),
        1 => note("tag", "tag"),
        1 => untagged,
        1 => note("relocated", "relocatedCwd"),
        1 => note("mode", "mode"),
    ]
    .prop_map(|line| line.to_string())
}

proptest! {
    #[test]
    fn a_generated_transcript_is_listed_alike(lines in proptest::collection::vec(line(), 1..12)) {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        assert_same(&text);
    }
}
