//! Recorded sessions, cut at random, give the lines that were recorded.

use std::fs;
use std::path::{Path, PathBuf};

use claw_codec::{DEFAULT_LIMIT, FrameItem, Frames, frame_line};
use claw_types::{StdinMessage, StdoutMessage, from_line, json_equal, to_line};
use proptest::collection::vec;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;

use crate::support::{chunks, frame_model, frames, lines, model, sync_frames, sync_lines};

const HOW: &str = "`cargo xtask fixtures record` makes them";

fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("cannot list {}: {error}. {HOW}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recordings(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "ndjson")
        {
            found.push(path);
        }
    }
}

#[test]
fn any_chunking_of_any_recording_gives_the_same_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files = Vec::new();
    recordings(&folder, &mut files);
    assert!(
        !files.is_empty(),
        "no .ndjson in {}. {HOW}",
        folder.display()
    );
    for file in files {
        let input = fs::read(&file).unwrap();
        let expected = model(DEFAULT_LIMIT, &input);
        let expected_frames = frame_model(DEFAULT_LIMIT, &input);
        assert!(!expected.is_empty(), "{} holds no line", file.display());
        let sizes = (vec(1..5000_usize, 1..64), vec(1..=4_usize, 0..16));
        TestRunner::new(Config {
            cases: 16,
            ..Config::default()
        })
        .run(&sizes, |(large, small)| {
            let sizes = [large, small].concat();
            let reader = || chunks(&input, &sizes);
            let same = lines(DEFAULT_LIMIT, reader()) == expected
                && sync_lines(DEFAULT_LIMIT, reader()) == expected
                && frames(DEFAULT_LIMIT, reader()) == expected_frames
                && sync_frames(DEFAULT_LIMIT, reader()) == expected_frames;
            if same {
                Ok(())
            } else {
                Err(TestCaseError::fail("other items"))
            }
        })
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// Every recorded line, with each of its keys taken out, made null or made something else, one at a
/// time; behind each a good line. What does not fit is an item with the whole line, and the good
/// line behind it comes all the same.
#[test]
fn a_stream_goes_on_after_whatever_does_not_fit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files = Vec::new();
    recordings(&folder, &mut files);
    files.retain(|file| file.ends_with("stdout.ndjson"));
    let mut kinds = std::collections::HashSet::new();
    let mut stream = Vec::new();
    let mut made = 0;
    for line in files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    }) {
        let Ok(Value::Object(line)) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        // One line a kind will do.
        let kind = format!(
            "{:?}{:?}{:?}",
            line["type"],
            line.get("subtype"),
            line.get("isReplay")
        );
        if !kinds.insert(kind) {
            continue;
        }
        for key in line.keys() {
            for new in [None, Some(Value::Null), Some(7.into()), Some("x".into())] {
                let mut line = line.clone();
                match new {
                    None => drop(line.remove(key)),
                    Some(new) => drop(line.insert(key.clone(), new)),
                }
                stream.extend(serde_json::to_vec(&line).unwrap());
                stream.extend(b"\n{\"type\":\"keep_alive\"}\n");
                made += 1;
            }
        }
    }
    let items = Frames::<StdoutMessage, _>::new(&stream[..]);
    let items: Vec<_> = items.map(Result::unwrap).collect();
    assert_eq!(items.len(), made * 2);
    let lines: Vec<_> = stream.split(|byte| *byte == b'\n').collect();
    let mut wrong = 0;
    for (at, item) in items.iter().enumerate() {
        match item {
            FrameItem::Frame(frame) => assert_eq!(frame.raw(), Some(lines[at])),
            FrameItem::Malformed(malformed) if at % 2 == 0 => {
                assert_eq!(&malformed.raw[..], lines[at]);
                wrong += 1;
            }
            other => panic!("line {}: {other:?}", at + 1),
        }
    }
    assert!(
        wrong > 500 && kinds.len() > 30,
        "{wrong} lines of {} kinds",
        kinds.len()
    );
}

/// A proxy that changes nothing sends on what it got: also lines whose text no string can hold, such
/// as an emoji that was cut in two.
#[test]
fn what_nobody_changes_is_sent_on_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files = Vec::new();
    recordings(&folder, &mut files);
    let mut halves = 0;
    for file in files.iter().filter(|file| file.ends_with("stdout.ndjson")) {
        let input = fs::read(file).unwrap();
        let mut written = Vec::new();
        for item in Frames::<StdoutMessage, _>::new(&input[..]) {
            let FrameItem::Frame(frame) = item.unwrap() else {
                panic!("{}: a line that cannot be read", file.display());
            };
            written.extend(frame_line(&frame).unwrap());
            written.push(b'\n');
            let raw = frame.raw().unwrap();
            halves += usize::from(serde_json::from_slice::<Value>(raw).is_err());
        }
        assert!(written == input, "{}", file.display());
    }
    assert!(halves >= 3, "{halves} lines with half of a surrogate pair");
}

/// Whatever features of claw-types are on: kinds that are not typed are kept, and all that is typed writes what
/// it read.
#[test]
fn every_line_that_is_read_is_written_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files = Vec::new();
    recordings(&folder, &mut files);
    let (mut read, mut unknown) = (0, 0);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines() {
            let (written, is_unknown) = if file.ends_with("stdout.ndjson") {
                let message: StdoutMessage = from_line(line.as_bytes()).unwrap();
                (to_line(&message).unwrap(), message.is_unknown())
            } else if file.ends_with("stdin.ndjson") {
                let message: StdinMessage = from_line(line.as_bytes()).unwrap();
                (to_line(&message).unwrap(), message.is_unknown())
            } else {
                continue;
            };
            read += 1;
            unknown += usize::from(is_unknown);
            let written = String::from_utf8(written).unwrap();
            // No text holds half of a surrogate pair.
            let is_cut = serde_json::from_str::<Value>(line).is_err();
            assert!(
                is_cut || json_equal(&written, line),
                "{}:\n{written}\nis not\n{line}",
                file.display()
            );
            if is_unknown {
                assert_eq!(written, line, "{}", file.display());
            }
        }
    }
    assert!(read > 4_000 && unknown < read, "{unknown} of {read}");
}
