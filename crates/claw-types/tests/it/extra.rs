//! What the real CLI writes and claw does not type: a list that fails both ways.

use std::collections::BTreeSet;

use claw_types::{StdinMessage, StdoutMessage, from_line};

use crate::support::recorded;

/// Struct, key, and why the key is not a field. A key that lands in `extra` on a recording and does
/// not stand here fails the test, and so does one that stands here and no longer lands there.
const LISTED: &[(&str, &str, &str)] = &[];

/// The structs and keys of all that a value keeps in `extra`, read from its `Debug`: there every
/// struct of this crate shows its `extra`, however deep it sits, so that none is forgotten.
pub(crate) fn extras(value: &impl std::fmt::Debug) -> BTreeSet<(String, String)> {
    let text = format!("{value:#?}");
    let mut structs: Vec<(usize, &str)> = Vec::new();
    let mut inside = None;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some(outside) = inside {
            if indent == outside {
                inside = None;
            } else if let Some(key) = trimmed.strip_prefix('"').and_then(|l| l.split_once("\": ")) {
                let (_, owner) = structs.last().unwrap();
                found.insert(((*owner).to_owned(), key.0.to_owned()));
            }
            continue;
        }
        while structs.last().is_some_and(|(at, _)| *at >= indent) {
            structs.pop();
        }
        if trimmed == "extra: {" {
            inside = Some(indent);
        } else if let Some(opened) = trimmed.strip_suffix(" {") {
            let name = opened.rsplit(' ').next().unwrap();
            structs.push((indent, name));
        }
    }
    found
}

#[test]
fn the_reader_of_extra_sees_every_level() {
    let line = br#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x",
        "content":[{"type":"text","text":"extra: {","deep":{"a":1}}],"stop_reason":null,"stop_sequence":null,
        "usage":{"output_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":0,
        "ephemeral_5m_input_tokens":0,"deeper":[]}}},"parent_tool_use_id":null,"uuid":"u","session_id":"s",
        "error":null,"top":"\"q\": {"}"#;
    let value: StdoutMessage = from_line(line).unwrap();
    let expected = [
        ("AssistantMessage", "error"),
        ("AssistantMessage", "top"),
        ("CacheCreation", "deeper"),
        ("TextBlock", "deep"),
    ];
    let expected = expected.map(|(owner, key)| (owner.to_owned(), key.to_owned()));
    assert_eq!(extras(&value), BTreeSet::from(expected));
}

#[test]
fn what_lands_in_extra_is_listed() {
    let mut found = BTreeSet::new();
    for sample in recorded("stdout.ndjson") {
        found.extend(extras(
            &from_line::<StdoutMessage>(sample.line.as_bytes()).unwrap(),
        ));
    }
    for sample in recorded("stdin.ndjson") {
        found.extend(extras(
            &from_line::<StdinMessage>(sample.line.as_bytes()).unwrap(),
        ));
    }
    // A store's entry keeps all there that it says; what that is is looked at among transcripts.
    found.retain(|(owner, _)| owner != "SessionStoreEntry");
    let listed = LISTED
        .iter()
        .map(|(owner, key, _)| ((*owner).to_owned(), (*key).to_owned()))
        .collect();
    let new: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        new.is_empty(),
        "make these fields, or list them with a reason: {new:?}"
    );
    assert!(
        gone.is_empty(),
        "no longer in extra on any recording: {gone:?}"
    );
}
