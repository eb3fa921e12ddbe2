//! Tests of intact and damaged recordings.

use std::fs;
use std::time::Duration;

use claw_view::Direction::{FromClaude, ToClaude};
use claw_view::element::Content;
use claw_view::{DamageKind, Direction, Elements, Recording};
use proptest::prelude::*;

use crate::sessions::{driven, fed, folder};

const STARTED: &str = r#"{"type":"command_lifecycle","command_uuid":"UUID","state":"started","uuid":"l-1","session_id":"s"}"#;

fn prompt(text: &str, uuid: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"role":"user","content":"{text}"}},"parent_tool_use_id":null,"session_id":"","uuid":"{uuid}"}}"#
    )
}

fn answer(number: u32, text: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"m","content":[{{"type":"text","text":"{text}"}}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":2}}}},"parent_tool_use_id":null,"uuid":"u-{number}","session_id":"s"}}"#
    )
}

/// The files of a recording in which each line was sent as a whole.
#[derive(Default)]
struct Passed {
    stdout: String,
    stdin: String,
    order: String,
}

impl Passed {
    fn new(lines: &[(Direction, &str)]) -> Self {
        let mut passed = Self::default();
        for (ms, (direction, line)) in lines.iter().enumerate() {
            let (stream, file) = match direction {
                FromClaude => ("stdout", &mut passed.stdout),
                ToClaude => ("stdin", &mut passed.stdin),
            };
            file.push_str(line);
            file.push('\n');
            let bytes = line.len() + 1;
            let chunk = format!("{{\"stream\":\"{stream}\",\"bytes\":{bytes},\"ms\":{ms}}}\n");
            passed.order.push_str(&chunk);
        }
        passed
    }

    fn recording(&self) -> Recording {
        Recording::new(
            self.stdout.as_bytes(),
            self.stdin.as_bytes(),
            Some(self.order.as_bytes()),
        )
    }
}

/// Returns the prompts, answers and interruptions, in order.
fn said(elements: &Elements) -> Vec<String> {
    let said = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::UserInput(input) => Some(format!("> {}", input.text)),
            Content::AssistantText(text) => Some(text.text.clone()),
            Content::Interrupted(_) => Some("interrupted".to_owned()),
            _ => None,
        });
    said.collect()
}

fn kinds(recording: &Recording) -> Vec<(&'static str, Option<u64>, DamageKind)> {
    let damage = recording.damage().iter();
    damage
        .map(|damage| (damage.file, damage.line, damage.kind.clone()))
        .collect()
}

/// The lines of a session in which two prompts are sent in the middle of a turn: one has a UUID, the other has none.
fn steered() -> Vec<(Direction, String)> {
    vec![
        (ToClaude, prompt("Begin.", "p-1")),
        (FromClaude, STARTED.replace("UUID", "p-1")),
        (FromClaude, answer(1, "I begin.")),
        (ToClaude, prompt("Faster.", "p-2")),
        (
            ToClaude,
            prompt("No name.", "p-3").replace(r#","uuid":"p-3""#, ""),
        ),
        (FromClaude, answer(2, "I go on.")),
        (FromClaude, STARTED.replace("UUID", "p-2")),
        (FromClaude, answer(3, "I go faster.")),
    ]
}

fn passed(lines: &[(Direction, String)]) -> Passed {
    let lines: Vec<_> = lines
        .iter()
        .map(|(direction, line)| (*direction, &**line))
        .collect();
    Passed::new(&lines)
}

#[test]
fn prompts_stand_where_they_were_taken_up_and_else_where_they_were_sent() {
    let recording = passed(&steered()).recording();
    assert_eq!(recording.damage(), []);
    assert_eq!(
        said(&recording.elements()),
        [
            "> Begin.",
            "I begin.",
            "> No name.",
            "I go on.",
            "> Faster.",
            "I go faster."
        ]
    );
    let lines: Vec<_> = recording
        .lines()
        .iter()
        .map(|line| (line.direction, line.number, line.at))
        .collect();
    let at = |ms| Some(Duration::from_millis(ms));
    assert_eq!(
        lines,
        [
            (ToClaude, 1, at(0)),
            (FromClaude, 1, at(1)),
            (FromClaude, 2, at(2)),
            (ToClaude, 2, at(3)),
            (ToClaude, 3, at(4)),
            (FromClaude, 3, at(5)),
            (FromClaude, 4, at(6)),
            (FromClaude, 5, at(7)),
        ]
    );
}

#[test]
fn a_line_has_its_place_where_its_last_byte_passed() {
    let first = answer(1, "one");
    let stdout = format!("{first}\r\n\n{}", answer(2, "two"));
    let stdin = format!("{}\n", prompt("Sent.", "p"));
    let order = format!(
        "{{\"stream\":\"stdout\",\"bytes\":{}}}\n{{\"stream\":\"stdin\",\"bytes\":{},\"later\":1}}\n\
         {{\"stream\":\"stdout\",\"bytes\":{}}}\n",
        first.len() + 1,
        stdin.len(),
        stdout.len() - first.len() - 1
    );
    let of =
        |order: &str| Recording::new(stdout.as_bytes(), stdin.as_bytes(), Some(order.as_bytes()));
    let recording = of(&order);
    assert_eq!(recording.damage(), []);
    assert_eq!(said(&recording.elements()), ["> Sent.", "one", "two"]);
    let numbers: Vec<_> = recording.lines().iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 1, 3]);
    assert!(recording.lines().iter().all(|line| line.at.is_none()));
}

#[test]
fn an_interrupt_stands_where_it_was_sent() {
    let interrupt =
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}"#;
    let answered =
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r"}}"#;
    let lines = [
        (ToClaude, prompt("Go.", "p")),
        (FromClaude, answer(1, "one")),
        (ToClaude, interrupt.to_owned()),
        (FromClaude, answer(2, "two")),
        (FromClaude, answered.to_owned()),
    ];
    let mut recording = passed(&lines);
    assert_eq!(
        said(&recording.recording().elements()),
        ["> Go.", "one", "interrupted", "two"]
    );
    recording.order.clear();
    let without = Recording::new(
        recording.stdout.as_bytes(),
        recording.stdin.as_bytes(),
        None,
    );
    // Without an order file, the interruption is before its response. The prompt, whose start no line reports, is at
    // the end.
    assert_eq!(
        said(&without.elements()),
        ["one", "two", "interrupted", "> Go."]
    );
}

#[test]
fn every_fixture_opens_as_it_did_without_an_order() {
    for session in driven() {
        let recording = Recording::open(folder().join(&session.name)).unwrap();
        let kinds = kinds(&recording);
        let no_order = (Recording::ORDER, None, DamageKind::NoOrder);
        // Some fixtures record a host that sent lines that are not JSON.
        let unsound = kinds.iter().filter(|kind| **kind != no_order);
        for (file, line, kind) in unsound {
            assert!(
                matches!(kind, DamageKind::NotJson(_)),
                "{}: {file} {line:?} {kind:?}",
                session.name
            );
        }
        assert!(kinds.contains(&no_order));
        let heard: Vec<_> = recording
            .drawn()
            .filter(|line| line.direction == FromClaude)
            .map(|line| line.text.as_str())
            .collect();
        let all: Vec<_> = session.stdout.iter().map(|line| line.trim()).collect();
        assert_eq!(heard, all, "{}", session.name);
        let drawn = recording.drawn().map(|line| line.text.as_str());
        let (elements, ..) = fed(drawn);
        assert_eq!(recording.elements().len(), elements.len());
    }
}

#[test]
fn damage_is_told_with_its_place_and_the_rest_is_read() {
    let whole = passed(&steered());
    let read = |stdout: &str, stdin: &str, order: &str| {
        Recording::new(stdout.as_bytes(), stdin.as_bytes(), Some(order.as_bytes()))
    };
    let bytes = |text: &str| text.len() as u64;

    // The file of stdout ends in the middle of its last line.
    let cut = &whole.stdout[..whole.stdout.len() - 20];
    let recording = read(cut, &whole.stdin, &whole.order);
    let shorter = DamageKind::Shorter {
        recorded: bytes(&whole.stdout),
        there: bytes(cut),
    };
    assert_eq!(
        kinds(&recording),
        [
            (Recording::STDOUT, Some(5), DamageKind::Cut),
            (Recording::STDOUT, None, shorter)
        ]
    );
    assert_eq!(recording.lines().len(), 8);
    assert_eq!(
        recording.damage()[0].to_string(),
        "stdout.ndjson:5: the file ends in the middle of the line"
    );

    // The file of stdin is missing.
    let recording = read(&whole.stdout, "", &whole.order);
    let shorter = DamageKind::Shorter {
        recorded: bytes(&whole.stdin),
        there: 0,
    };
    assert_eq!(kinds(&recording), [(Recording::STDIN, None, shorter)]);
    assert_eq!(
        said(&recording.elements()),
        ["I begin.", "I go on.", "I go faster."]
    );

    // The order file ends early: after a whole line, and in the middle of a line.
    let order: Vec<_> = whole.order.split_inclusive('\n').collect();
    let recording = read(&whole.stdout, &whole.stdin, &order[..3].concat());
    assert_eq!(
        kinds(&recording),
        [
            (Recording::STDOUT, Some(3), DamageKind::Unordered),
            (Recording::STDIN, Some(2), DamageKind::Unordered)
        ]
    );
    let everything = said(&recording.elements());
    assert_eq!(everything.len(), 6, "{everything:?}");
    assert_eq!(everything[..2], ["> Begin.", "I begin."]);
    let recording = read(
        &whole.stdout,
        &whole.stdin,
        &format!("{}{}", order[..3].concat(), &order[3][..9]),
    );
    let [(Recording::ORDER, Some(4), DamageKind::BadOrder(_))] = &kinds(&recording)[..] else {
        panic!("{:?}", recording.damage())
    };
    assert_eq!(said(&recording.elements()), everything);

    // A line is not JSON, and another one is not UTF-8.
    let stdout = format!("[debug] text\n{}", whole.stdout);
    let recording = Recording::new(stdout.as_bytes(), b"\"\xff\"\n", None);
    let kinds = kinds(&recording);
    assert!(
        matches!(
            &kinds[..],
            [
                (Recording::STDOUT, Some(1), DamageKind::NotJson(_)),
                (Recording::STDIN, Some(1), DamageKind::NotUtf8),
                (Recording::ORDER, None, DamageKind::NoOrder)
            ]
        ),
        "{kinds:?}"
    );
}

#[test]
fn a_folder_that_holds_none_is_an_error_that_names_the_file() {
    let error = Recording::open(folder().join("nothing")).unwrap_err();
    assert!(error.to_string().contains("stdout.ndjson"), "{error}");
}

#[test]
fn a_recording_from_a_folder_is_what_its_bytes_are() {
    let folder = tempfile::tempdir().unwrap();
    let whole = passed(&steered());
    for (name, text) in [
        (Recording::STDOUT, &whole.stdout),
        (Recording::STDIN, &whole.stdin),
        (Recording::ORDER, &whole.order),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let opened = Recording::open(folder.path()).unwrap();
    assert_eq!(opened.lines(), whole.recording().lines());
}

proptest! {
    /// For files of which a byte was changed and the ends were cut off, nothing panics, and each remaining line is
    /// returned once.
    #[test]
    fn no_damage_loses_a_line(
        cuts in any::<[prop::sample::Index; 3]>(),
        spot in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        which in 0..3_usize,
    ) {
        let whole = passed(&steered());
        let mut files = [whole.stdout, whole.stdin, whole.order].map(String::into_bytes);
        let at = spot.index(files[which].len());
        files[which][at] = byte;
        for (file, cut) in files.iter_mut().zip(cuts) {
            let length = cut.index(file.len() + 1);
            file.truncate(length);
        }
        let [stdout, stdin, order] = &files;
        let recording = Recording::new(stdout, stdin, Some(order));
        let count = |file: &[u8]| {
            file.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
        };
        prop_assert_eq!(recording.lines().len(), count(stdout) + count(stdin));
        let drawn = recording.drawn().filter(|line| line.direction == FromClaude);
        prop_assert_eq!(drawn.count(), count(stdout));
        recording.elements();
    }
}
