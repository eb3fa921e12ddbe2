//! Broken sessions are mended in a copy.

use std::fs;
use std::path::Path;

use claw_sessions::{RepairEffect, RepairProblem, Session};
use serde_json::{Value, json};

use crate::folder::{Folder, ID, conversation, read, uuid, values};

/// Mends a transcript, and returns the copy and what was changed: the line, the name and the effect.
fn mended(transcript: &[u8]) -> (Folder, Session, Vec<(u64, &'static str, RepairEffect)>) {
    let folder = Folder::new();
    fs::write(folder.project().join(format!("{ID}.jsonl")), transcript).unwrap();
    let session = folder.sessions().find(ID).unwrap();
    let planned = session.repair().plan().unwrap();
    assert_eq!(folder.files().len(), 1);
    let repaired = session.repair().run().unwrap();
    assert_eq!(planned.changes, repaired.changes);
    assert_eq!(planned.is_needed, repaired.is_needed);
    assert!(fs::read(session.transcript()).unwrap() == transcript);
    let changes = repaired.changes.iter();
    let changes = changes.map(|change| (change.line, change.problem.name(), change.effect));
    let changes = changes.collect();
    (folder, repaired.copy.unwrap(), changes)
}

/// The entries of the copy without its title, with the session's ID.
fn entries(copy: &Session) -> Vec<Value> {
    let mut entries = values(copy);
    assert_eq!(entries.pop().unwrap()["customTitle"], "words 0 (repaired)");
    for entry in &mut entries {
        assert_eq!(entry["sessionId"], copy.id().as_str());
        entry["sessionId"] = json!(ID);
        entry.as_object_mut().unwrap().remove("requestSessionId");
    }
    entries
}

fn whole(lines: &[String]) -> Vec<Value> {
    let lines = lines.iter();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn lines_of_every_form_are_mended() {
    use RepairEffect::{Harmless, LeftOut, Recovered};
    let lines = conversation(8);
    let text = [
        format!("\u{feff}{}\n", lines[0]),
        format!("\0\0{}{}\n", lines[1], lines[2]),
        format!("{}\0\r\n\n", lines[3]),
        format!("{}{}\n", &lines[3][..40], lines[4]),
        "nonsense\n".to_owned(),
        format!("{}\n", lines[5].replace("words", "\\words")),
        format!("{}\n", lines[6].replace("words", "\\udc00words")),
        lines[7].clone(),
    ];
    let (_folder, copy, changes) = mended(text.concat().as_bytes());
    assert_eq!(
        changes,
        [
            (1, "byte_order_mark", Harmless),
            (2, "nul", Recovered),
            (2, "spliced", Recovered),
            (3, "nul", Harmless),
            (5, "spliced", Recovered),
            (5, "torn", LeftOut),
            (6, "torn", LeftOut),
            (7, "invalid_escape", Recovered),
            (8, "half_surrogate", Harmless),
        ]
    );
    let mut expected = whole(&lines);
    expected[5]["message"]["content"] = json!("\\words 5");
    expected[6]["message"]["content"] = json!("\u{fffd}words 6");
    assert_eq!(entries(&copy), expected);
    assert!(copy.repair().run().unwrap().copy.is_none());
}

#[test]
fn bytes_that_are_no_text_become_what_the_cli_reads() {
    let lines = conversation(2);
    let [before, after] = [&lines[0][..], &lines[1][..]].map(str::as_bytes);
    let after = [after, b"\n"].concat();
    let after = String::from_utf8(after).unwrap();
    let (start, end) = after.split_once("words").unwrap();
    let text = [before, b"\n", start.as_bytes(), b"\xff\xe2", end.as_bytes()].concat();
    let (_folder, copy, changes) = mended(&text);
    assert_eq!(changes, [(2, "invalid_utf8", RepairEffect::Harmless)]);
    let content = &entries(&copy)[1]["message"]["content"];
    assert_eq!(content, "\u{fffd}\u{fffd} 1");
}

#[test]
fn a_line_that_is_there_twice_is_there_once_with_its_last_content() {
    use RepairEffect::{Harmless, LeftOut};
    let lines = conversation(4);
    let other = lines[1].replace("words 1", "other words");
    let text = [
        &lines[..],
        &[lines[0].clone(), other.clone(), lines[3].clone()],
    ]
    .concat();
    let (_folder, copy, changes) = mended((text.join("\n") + "\n").as_bytes());
    assert_eq!(
        changes,
        [
            (2, "superseded", LeftOut),
            (5, "duplicate", Harmless),
            (6, "duplicate", Harmless),
            (7, "duplicate", Harmless),
        ]
    );
    let mut expected = whole(&lines);
    expected[1]["message"]["content"] = json!("other words");
    assert_eq!(entries(&copy), expected);
}

#[test]
fn a_line_is_not_the_same_after_a_compaction() {
    let mut lines = conversation(4);
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": uuid(9), "parentUuid": null,
        "sessionId": ID, "isSidechain": false,
    });
    lines.push(boundary.to_string());
    lines.push(lines[3].clone());
    let (_folder, session) = Folder::with(&lines);
    assert!(session.repair().plan().unwrap().changes.is_empty());
}

#[test]
fn lines_behind_a_boundary_that_is_there_twice_are_there_once() {
    let mut lines = conversation(2);
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": uuid(9), "parentUuid": null,
        "sessionId": ID, "isSidechain": false,
    });
    let half = [boundary.to_string(), lines[0].clone(), lines[1].clone()];
    lines = [half.clone(), half].concat();
    let (_folder, copy, changes) = mended((lines.join("\n") + "\n").as_bytes());
    let duplicate = |line| (line, "duplicate", RepairEffect::Harmless);
    assert_eq!(changes, [duplicate(4), duplicate(5), duplicate(6)]);
    assert_eq!(entries(&copy), whole(&lines[..3]));
    assert!(copy.repair().plan().unwrap().changes.is_empty());
}

#[test]
fn a_parent_that_no_line_has_becomes_the_message_before() {
    let mut lines = conversation(6);
    lines.remove(3);
    lines.remove(0);
    let (_folder, copy, changes) = mended((lines.join("\n") + "\n").as_bytes());
    let missing = |line| (line, "missing_parent", RepairEffect::Harmless);
    assert_eq!(changes, [missing(1), missing(3)]);
    let parents: Vec<_> = values(&copy)[..4]
        .iter()
        .map(|line| line["parentUuid"].clone())
        .collect();
    assert_eq!(
        parents,
        [json!(null), json!(uuid(1)), json!(uuid(2)), json!(uuid(4))]
    );
}

/// The CLI begins at such a line. The copy has what precedes it.
#[test]
fn a_parent_is_found_for_a_line_at_which_the_cli_begins() {
    let mut lines = conversation(4);
    lines.remove(2);
    lines[2] = lines[2].replace("T00:00:03", "T00:01:00");
    let (_folder, copy, changes) = mended((lines.join("\n") + "\n").as_bytes());
    assert_eq!(changes, [(3, "missing_parent", RepairEffect::Recovered)]);
    assert_eq!(values(&copy)[2]["parentUuid"], json!(uuid(1)));
}

#[test]
fn nothing_is_written_for_a_session_that_is_whole() {
    let (folder, session) = Folder::with(&conversation(4));
    let before = folder.files();
    let repaired = session.repair().run().unwrap();
    assert!(repaired.copy.is_none() && repaired.changes.is_empty() && !repaired.is_needed);
    assert!(folder.files() == before);
    session.delete().unwrap();
    assert!(session.repair().run().unwrap_err().is_not_found());
}

#[test]
fn the_files_of_a_session_are_copied_and_those_of_sub_agents_mended() {
    let lines = conversation(2);
    let (folder, session) = Folder::with(&[lines[0].clone(), "{torn".to_owned()]);
    let agents = session.folder().join("subagents");
    fs::create_dir_all(&agents).unwrap();
    let agent = lines[0].clone() + &lines[1] + "\n";
    fs::write(agents.join("agent-a.jsonl"), agent).unwrap();
    fs::write(agents.join("agent-a.meta.json"), "{\0").unwrap();
    fs::create_dir(session.folder().join("tool-results")).unwrap();
    fs::write(session.folder().join("tool-results/long.txt"), "long\n").unwrap();
    fs::write(session.folder().join("archived.json"), "{}").unwrap();
    let history = folder.config().join("file-history");
    fs::create_dir_all(history.join(ID)).unwrap();
    fs::write(history.join(ID).join("0123@v1"), "old\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hosts", agents.join("agent-b.jsonl")).unwrap();
    let before = folder.files();

    let repaired = session.repair().run().unwrap();
    let of_agent = repaired.changes.iter().find(|change| change.file.is_some());
    let of_agent = of_agent.unwrap();
    assert_eq!(of_agent.problem, RepairProblem::Spliced { records: 2 });
    let file = of_agent.file.as_ref().unwrap();
    assert!(file.ends_with("subagents/agent-a.jsonl"));
    let copy = repaired.copy.unwrap();
    let in_copy = |name: &str| fs::read_to_string(copy.folder().join(name)).unwrap();
    let agent = in_copy("subagents/agent-a.jsonl");
    assert_eq!(agent.lines().count(), 2);
    assert!(agent.lines().all(|line| line.contains(copy.id().as_str())));
    assert_eq!(in_copy("subagents/agent-a.meta.json"), "{\0");
    assert_eq!(in_copy("tool-results/long.txt"), "long\n");
    assert!(!copy.folder().join("archived.json").exists());
    let kept = history.join(copy.id().as_str()).join("0123@v1");
    assert_eq!(fs::read(kept).unwrap(), b"old\n");
    if cfg!(unix) {
        assert_eq!(repaired.left_out, [agents.join("agent-b.jsonl")]);
        assert!(!copy.folder().join("subagents/agent-b.jsonl").exists());
    }
    // The original is as it was, and no other file is left.
    let after = folder.files();
    assert!(
        before
            .iter()
            .all(|(name, text)| after.get(name) == Some(text))
    );
    assert!(!after.keys().any(|name| name.contains(".claw-")));
    assert!(read(&copy).contains("words 0"));
}

#[test]
fn a_report_names_a_bounded_number_of_changes() {
    let lines = "x\n".repeat(10_100) + &conversation(1)[0] + "\n";
    let (_folder, session) = Folder::with(&[lines]);
    let planned = session.repair().plan().unwrap();
    assert_eq!((planned.changes.len(), planned.more), (10_000, 100));
}

/// The recorded transcripts that name a session: each is broken in three ways, which lose nothing.
#[test]
fn every_recorded_transcript_is_mended_to_what_it_was() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut count = 0;
    for fixture in fs::read_dir(fixtures).unwrap() {
        let path = fixture.unwrap().path().join("transcript.ndjson");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let lines: Vec<_> = text.lines().collect();
        let pairs = lines.chunks(2).map(|pair| pair.concat() + "\n");
        let marked = lines.iter().map(|line| format!("\0\u{feff}{line}\n"));
        let torn = lines.iter().map(|line| format!("{{\"type\":\"us{line}\n"));
        let broken: [String; 3] = [pairs.collect(), marked.collect(), torn.collect()];
        for broken in broken {
            let (_folder, copy, changes) = mended(broken.as_bytes());
            let entries = values(&copy);
            // Each line is there, in order. Of results that are added, none is in a recording.
            let uuids = |entries: &[Value]| {
                let uuids = entries.iter().map(|entry| entry["uuid"].clone());
                uuids.filter(Value::is_string).collect::<Vec<_>>()
            };
            let original: Vec<Value> = lines
                .iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let (mut found, expected) = (uuids(&entries), uuids(&original));
            // The title.
            found.pop();
            let is_known = |uuid: &Value| expected.contains(uuid);
            found.retain(is_known);
            let mut once = expected.clone();
            let mut seen = std::collections::HashSet::new();
            once.retain(|uuid| seen.insert(uuid.to_string()));
            assert_eq!(found, once, "{}: {changes:?}", path.display());
            assert!(entries.len() > once.len());
        }
        count += 1;
    }
    assert!(count > 50, "{count}");
}
