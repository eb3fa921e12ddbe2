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
    // For the CLI's own screens.
    "system/ui_invalidate",
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
