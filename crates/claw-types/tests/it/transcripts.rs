//! What the real CLI left on disk is typed where its kind is known, and comes back equal; so does
//! what it mirrored.

use std::collections::{BTreeMap, BTreeSet};

use claw_types::message::internal::{InternalMessage, TranscriptMirror};
use claw_types::store::SessionStoreEntry;
use claw_types::transcript::{AgentMetadataEntry, Attachment, Entry};
use claw_types::{Message, MessageUuid, SessionId, StdoutMessage, from_line};
use serde_json::{Value, json};

use crate::extra::extras;
use crate::support::{Sample, lossless, recorded, recorded_where};

/// Kinds of entries and attachments that are recorded and that claw does not type: a list that fails
/// both ways.
const UNTYPED: &[&str] = &[];

/// Struct, key, and why the key is not a field. Fails both ways.
const LISTED: &[(&str, &str, &str)] = &[
    (
        "AssistantEntry",
        "session_id",
        "in many languages it would have the name that `sessionId` has",
    ),
    ("AttachmentEntry", "session_id", "the same"),
    ("StopHookSummaryEntry", "session_id", "the same"),
    ("UserEntry", "session_id", "the same"),
];

/// Keys of a message on stdout that the entry on disk does not tell, or tells otherwise, and why.
/// Fails both ways.
const INEXACT: &[(&str, &str)] = &[
    ("message.context_management", "null on stdout, not on disk"),
    ("message.stop_details", "null on disk, not on stdout"),
    (
        "message.stop_reason",
        "not known yet when a block stands on stdout",
    ),
    (
        "message.usage",
        "not known yet when a block stands on stdout",
    ),
    (
        "tool_use_meta",
        "names of MCP tools for people are not on disk",
    ),
    ("user_message_uuid", "what a turn answers is not on disk"),
    ("user_message_uuids", "what a turn answers is not on disk"),
];

fn transcripts() -> Vec<Sample> {
    recorded_where(|file| file.starts_with("transcript"))
}

fn mirror(sample: &Sample) -> Option<TranscriptMirror> {
    match from_line(sample.line.as_bytes()) {
        Ok(StdoutMessage::Message(Message::Internal(InternalMessage::TranscriptMirror(
            mirror,
        )))) => Some(*mirror),
        _ => None,
    }
}

/// Entries that arrived in frames, with their scenario.
fn mirrored() -> Vec<(String, SessionStoreEntry)> {
    let mut entries = Vec::new();
    for sample in recorded("stdout.ndjson") {
        if let Some(mirror) = mirror(&sample) {
            entries.extend(
                mirror
                    .entries
                    .into_iter()
                    .map(|e| (scenario(&sample.name), e)),
            );
        }
    }
    assert!(
        !entries.is_empty(),
        "no mirrored transcripts among the recordings"
    );
    entries
}

fn scenario(name: &str) -> String {
    name.split('/').next().unwrap().to_owned()
}

/// What an entry is, and of an attachment which sort.
fn untyped(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Attachment(link) => match &link.attachment {
            Attachment::Unknown(unknown) => Some(format!("attachment/{}", unknown.kind())),
            _ => None,
        },
        Entry::System(_) | Entry::Unknown(_) => Some(entry.kind().into_owned()),
        _ => None,
    }
}

#[test]
fn every_line_of_every_transcript_is_typed_and_comes_back() {
    let (mut kinds, mut found, mut extra) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for sample in transcripts() {
        let entry: Entry = lossless(&sample.line);
        found.extend(untyped(&entry));
        extra.extend(extras(&entry));
        let tree: Value = serde_json::from_str(&sample.line).unwrap();
        assert_eq!(entry.uuid().map(MessageUuid::as_str), tree["uuid"].as_str());
        assert_eq!(
            entry.session_id().map(SessionId::as_str),
            tree["sessionId"].as_str()
        );
        assert_eq!(
            entry.parent_uuid().map(MessageUuid::as_str),
            tree["parentUuid"].as_str()
        );
        assert_eq!(
            entry.is_link(),
            tree.get("parentUuid").is_some(),
            "{}",
            sample.name
        );
        assert_eq!(entry.is_sidechain(), tree["isSidechain"] == true);
        if entry.is_link() {
            assert_eq!(entry.timestamp(), tree["timestamp"].as_str());
        }
        kinds.insert(entry.kind().into_owned());
    }
    assert_eq!(
        found,
        UNTYPED.iter().map(|kind| (*kind).to_owned()).collect()
    );
    let listed = LISTED
        .iter()
        .map(|(owner, key, _)| ((*owner).to_owned(), (*key).to_owned()));
    assert_eq!(extra, listed.collect());
    assert!(kinds.len() >= 20, "only {kinds:?}");
}

#[test]
fn what_is_mirrored_is_what_is_on_disk() {
    let on_disk: Vec<_> = transcripts()
        .into_iter()
        .map(|sample| {
            let tree: Value = serde_json::from_str(&sample.line).unwrap();
            (scenario(&sample.name), tree)
        })
        .collect();
    let mut kinds = BTreeSet::new();
    for (scenario, stored) in mirrored() {
        let tree = serde_json::to_value(&stored).unwrap();
        let entry = stored
            .entry()
            .unwrap_or_else(|error| panic!("{error}: {tree}"));
        assert_eq!(untyped(&entry), None);
        assert_eq!(extras(&entry), BTreeSet::new());
        assert_eq!(serde_json::to_value(&entry).unwrap(), tree);
        assert_eq!(entry.kind().split('/').next().unwrap(), stored.kind);
        kinds.insert(entry.kind().into_owned());
        // Metadata have a file of their own, and prompts were left out of these recordings.
        let is_elsewhere = matches!(&entry, Entry::AgentMetadata(_))
            || matches!(&entry, Entry::Attachment(link) if matches!(&link.attachment, Attachment::PromptSnapshot(_)));
        assert!(
            is_elsewhere || on_disk.contains(&(scenario.clone(), tree.clone())),
            "{scenario}: {tree}"
        );
    }
    assert!(kinds.contains("agent_metadata"), "{kinds:?}");
}

/// The agents of each scenario, by the files that frames name.
fn agents() -> BTreeMap<(String, String), AgentMetadataEntry> {
    let mut agents = BTreeMap::new();
    for sample in recorded("stdout.ndjson") {
        let Some(mirror) = mirror(&sample) else {
            continue;
        };
        let file = mirror.file_path.rsplit("agent-").next().unwrap();
        let agent = file.strip_suffix(".jsonl").unwrap_or(file).to_owned();
        for stored in &mirror.entries {
            if let Entry::AgentMetadata(metadata) = stored.entry().unwrap() {
                agents.insert((scenario(&sample.name), agent.clone()), *metadata);
            }
        }
    }
    agents
}

#[test]
fn the_message_of_an_entry_is_the_one_that_was_on_stdout() {
    let said: BTreeMap<_, _> = recorded("stdout.ndjson")
        .into_iter()
        .filter_map(|sample| {
            let tree: Value = serde_json::from_str(&sample.line).ok()?;
            let uuid = tree["uuid"].as_str()?.to_owned();
            Some(((scenario(&sample.name), uuid), tree))
        })
        .collect();
    let agents = agents();
    let (mut seen, mut of_agents, mut inexact) = (0, 0, BTreeSet::new());
    for sample in transcripts() {
        let entry: Entry = from_line(sample.line.as_bytes()).unwrap();
        let name = scenario(&sample.name);
        let tree: Value = serde_json::from_str(&sample.line).unwrap();
        let agent = tree["agentId"]
            .as_str()
            .map(|id| (name.clone(), id.to_owned()));
        let agent = agent.and_then(|key| agents.get(&key));
        let Some(message) = entry.message(agent) else {
            let is_message = ["user", "assistant"].contains(&&*entry.kind());
            assert!(!is_message || entry.is_sidechain(), "{}", sample.name);
            continue;
        };
        let uuid = message.uuid().unwrap().as_str().to_owned();
        let Some(said) = said.get(&(name, uuid)) else {
            continue;
        };
        seen += 1;
        of_agents += usize::from(entry.is_sidechain());
        let mut built = serde_json::to_value(&message).unwrap();
        let mut said = said.clone();
        for tree in [&mut built, &mut said] {
            // Text means one block of it, and what is written back is said to be.
            if let Value::String(text) = &tree["message"]["content"] {
                tree["message"]["content"] = json!([{"type": "text", "text": text}]);
            }
            tree.as_object_mut().unwrap().remove("isReplay");
        }
        inexact.extend(differing(&built, &said));
    }
    assert!(seen > 100 && of_agents > 2, "{seen}, {of_agents}");
    let listed = INEXACT.iter().map(|(key, _)| (*key).to_owned());
    assert_eq!(inexact, listed.collect());
}

/// Keys of two messages, and of what is in their `message`, that differ.
fn differing(one: &Value, other: &Value) -> BTreeSet<String> {
    let keys = |tree: &Value| {
        tree.as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<BTreeSet<_>>()
    };
    let mut found = BTreeSet::new();
    for key in keys(one)
        .union(&keys(other))
        .filter(|key| one.get(key) != other.get(key))
    {
        let inside = one
            .get(key)
            .zip(other.get(key))
            .filter(|_| key == "message");
        match inside {
            Some((one, other)) => {
                found.extend(
                    differing(one, other)
                        .into_iter()
                        .map(|k| format!("message.{k}")),
                );
            }
            None => drop(found.insert(key.clone())),
        }
    }
    found
}

#[test]
fn whole_chains_lead_back_to_a_beginning() {
    for scenario in ["resume.2", "subagent", "parallel_tools", "text"] {
        let prefix = format!("{scenario}/");
        let samples = transcripts()
            .into_iter()
            .filter(|s| s.name.starts_with(&prefix));
        let entries: Vec<Entry> = samples
            .map(|sample| from_line(sample.line.as_bytes()).unwrap())
            .collect();
        let links: BTreeMap<_, _> = entries
            .iter()
            .filter_map(|entry| Some((entry.uuid()?.as_str(), entry)))
            .collect();
        assert!(links.len() > 5, "{scenario}");
        for entry in links.values().filter(|entry| entry.is_link()) {
            let mut at = *entry;
            let mut steps = 0;
            while let Some(parent) = at.parent_uuid() {
                at = links[parent.as_str()];
                steps += 1;
                assert!(steps <= links.len(), "{scenario}: in a circle");
            }
            assert!(matches!(at, Entry::User(_)), "{scenario}: {}", at.kind());
        }
    }
}

#[test]
fn kinds_of_tomorrow_are_kept() {
    for line in [
        r#"{"type":"of-tomorrow","sessionId":"s","deep":{"a":[1,2.50]}}"#,
        r#"{"sessionId":"s"}"#,
    ] {
        let entry: Entry = lossless(line);
        assert!(entry.is_unknown());
        assert!(!entry.is_link());
    }
    let line = r#"{"parentUuid":null,"isSidechain":false,"type":"system","subtype":"of_tomorrow","content":"A word","uuid":"u","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s","new":1}"#;
    let entry: Entry = lossless(line);
    assert_eq!(entry.kind(), "system/of_tomorrow");
    assert!(entry.is_link());
    assert_eq!(entry.message(None), None);
    let line = r#"{"parentUuid":"p","isSidechain":false,"attachment":{"type":"of_tomorrow","a":1},"type":"attachment","uuid":"u","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s"}"#;
    let entry: Entry = lossless(line);
    assert!(matches!(&entry, Entry::Attachment(beside) if beside.attachment.is_unknown()));
}

#[test]
fn a_system_line_of_an_older_cli_has_no_subtype() {
    let line = r#"{"parentUuid":null,"isSidechain":false,"type":"system","content":"A word","level":"info","uuid":"u","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s"}"#;
    let entry: Entry = lossless(line);
    assert_eq!(entry.kind(), "system");
}

/// `claude --bg` of CLI 2.1.332 wrote this line.
#[test]
fn an_entry_of_a_background_session_names_its_kind() {
    let line = json!({
        "parentUuid": "a6dd33bf-d834-45e0-8185-ef810e5bb467", "isSidechain": false,
        "attachment": {"type": "remote_session_change", "url": null, "sendUserFileHint": false},
        "type": "attachment", "uuid": "e71f4d67-7e72-4d7f-aa9f-fff3947978c1",
        "timestamp": "2026-11-27T17:21:20.436Z", "renderedRole": "user", "renderedBesideToolResult": true,
        "session_id": "6c80d539-74b3-481c-a4e1-011a9b649dfb", "sessionKind": "bg", "userType": "external",
        "entrypoint": "cli", "cwd": "/work", "sessionId": "6c80d539-74b3-481c-a4e1-011a9b649dfb",
        "version": "2.1.332", "gitBranch": "master",
    });
    let Ok(Entry::Attachment(entry)) = from_line(line.to_string().as_bytes()) else {
        panic!("{line}");
    };
    assert_eq!(entry.session_kind.as_deref(), Some("bg"));
    // Not a field: in many languages it would have the name that `sessionId` has.
    let extra: Vec<_> = entry.extra.iter().map(|(key, _)| key).collect();
    assert_eq!(extra, ["session_id"]);
    assert_eq!(serde_json::to_value(&entry).unwrap(), line);
}

#[test]
fn a_persons_prompt_in_a_turn_and_a_plugins_note() {
    let line = json!({"type": "attachment", "uuid": "u", "parentUuid": null, "sessionId": "s",
        "timestamp": "2026-01-05T00:00:00Z", "isSidechain": false, "attachment":
        {"type": "queued_command", "prompt": "and this", "humanTurn": true}});
    let entry: Entry = lossless(&line.to_string());
    let Entry::Attachment(entry) = entry else {
        panic!("{line}");
    };
    let Attachment::QueuedCommand(queued) = &entry.attachment else {
        panic!("{line}");
    };
    assert_eq!(queued.human_turn, Some(true));

    let line = json!({"type": "system", "subtype": "informational", "content": "a note",
        "level": "notice", "uuid": "u", "parentUuid": null, "sessionId": "s",
        "timestamp": "2026-01-05T00:00:00Z", "isSidechain": false, "agentNote":
        {"to": {"kind": "main"}, "about": {"kind": "agent"}, "text": "t", "source": "p"}});
    let entry: Entry = lossless(&line.to_string());
    let Entry::Informational(notice) = entry else {
        panic!("{line}");
    };
    assert_eq!(notice.agent_note.unwrap().source, "p");
}
