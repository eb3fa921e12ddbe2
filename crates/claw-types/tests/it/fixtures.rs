//! What the real CLI wrote and read is typed where its kind is known, and comes back equal.

use std::collections::{BTreeSet, HashSet};

use claw_types::{Message, StdinMessage, StdoutMessage, from_line};

use crate::kinds::classic;
use crate::support::{Sample, assert_lossless, lossless, recorded};

/// Lines that hold an unpaired surrogate escape, which no text can hold: the one exemption from the
/// round trip of the typed value. Scenario and kind; a list that fails both ways. That they are sent on
/// byte for byte is tested where frames are, in claw-codec.
const EXEMPT: &[(&str, &str)] = &[
    ("cut_emoji", "assistant"),
    ("cut_emoji", "result/success"),
    ("cut_emoji", "stream_event"),
];

fn is_exempt(sample: &Sample) -> bool {
    sample.line.contains("\\ud") && serde_json::from_str::<serde_json::Value>(&sample.line).is_err()
}

/// The kinds that are recorded and that claw does not type: a list that fails both ways.
const UNTYPED: &[&str] = &[
    // Remote Control, which cannot be had here.
    "system/bridge_state",
];

#[test]
fn every_recorded_line_is_typed_or_unknown_and_comes_back() {
    let (mut untyped, mut exempt) = (BTreeSet::new(), BTreeSet::new());
    for sample in recorded("stdout.ndjson") {
        let value: StdoutMessage = from_line(sample.line.as_bytes())
            .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        if is_exempt(&sample) {
            assert!(!value.is_unknown(), "{}", sample.name);
            exempt.insert((
                sample.name.split('/').next().unwrap().to_owned(),
                value.kind().into_owned(),
            ));
            continue;
        }
        lossless::<StdoutMessage>(&sample.line);
        if value.is_unknown() {
            let written = serde_json::to_string(&value).unwrap();
            assert_eq!(written, sample.line);
            untyped.insert(value.kind().into_owned());
        }
        if let StdoutMessage::Message(message) = &value {
            assert_eq!(&lossless::<Message>(&sample.line), message);
        }
    }
    let listed = EXEMPT
        .iter()
        .map(|(scenario, kind)| ((*scenario).to_owned(), (*kind).to_owned()));
    assert_eq!(exempt, listed.collect());
    assert_eq!(
        untyped,
        UNTYPED.iter().map(|kind| (*kind).to_owned()).collect()
    );
}

#[test]
fn every_recorded_prompt_and_answer_comes_back() {
    for sample in recorded("stdin.ndjson") {
        let value: StdinMessage = lossless(&sample.line);
        assert!(!value.is_unknown(), "{}", sample.name);
        assert_lossless(&value, &sample.line);
    }
}

/// What of a kind that claw does not type stands inside of a line that it does: requests, by what they
/// ask, recorded to see what the CLI says; and answers. It fails both ways too.
const UNTYPED_INSIDE: &[&str] = &[
    // No requests at all: one that asks nothing, one that no CLI knows.
    "control_request",
    "nonsense",
    // Refused here, or answered only with an account, a browser or a cloud behind it.
    "add_directory",
    "comparison_fork",
    "fork_conversation",
    "get_chrome_browsers",
    "get_chrome_dialog",
    "get_cloud_session",
    "get_cloud_session_transcript",
    "list_cloud_sessions",
    "list_directory",
    "poll_event",
    "register_device_hooks",
    "reload_connectors",
    "remote_control",
    "rewind_conversation",
    "select_chrome_browser",
    "set_chrome_browser_hints",
    "set_proactivity_level",
    "stage_file",
    "start_shell_task",
    "turn_handoff",
    "ui_attach",
    "ui_panes",
    "update_cloud_session",
    "update_queued_message",
];

#[test]
fn what_is_unknown_inside_of_a_line_is_listed() {
    let mut found = BTreeSet::new();
    for sample in recorded("stdout.ndjson") {
        let value: StdoutMessage = from_line(sample.line.as_bytes()).unwrap();
        if !value.is_unknown() && shows_unknown(&value) {
            found.insert(what(&sample));
        }
    }
    for sample in recorded("stdin.ndjson") {
        let value: StdinMessage = from_line(sample.line.as_bytes()).unwrap();
        if shows_unknown(&value) {
            found.insert(what(&sample));
        }
    }
    let listed: BTreeSet<_> = UNTYPED_INSIDE
        .iter()
        .map(|kind| (*kind).to_owned())
        .collect();
    let new: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "{new:?}, no longer {gone:?}"
    );
}

/// Every union shows what it does not know as such, however deep it sits.
fn shows_unknown(value: &impl std::fmt::Debug) -> bool {
    format!("{value:?}").contains("Unknown(")
}

/// What a request asks, or of what kind a line is.
fn what(sample: &Sample) -> String {
    let line: serde_json::Value = serde_json::from_str(&sample.line).unwrap();
    let asked = line["request"]["subtype"]
        .as_str()
        .or(line["type"].as_str());
    asked.unwrap_or_default().to_owned()
}

#[test]
fn every_classic_kind_is_there() {
    let mut seen = HashSet::new();
    for sample in recorded("stdout.ndjson") {
        if let Ok(StdoutMessage::Message(message)) = from_line(sample.line.as_bytes()) {
            seen.insert(std::mem::discriminant(&message));
        }
    }
    for (kind, built) in classic() {
        assert!(seen.contains(&std::mem::discriminant(&built)), "{kind}");
    }
}
