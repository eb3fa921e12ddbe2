//! Recorded sessions, cut at random, give the lines that were recorded.

use std::fs;
use std::path::{Path, PathBuf};

use claw_codec::DEFAULT_LIMIT;
use proptest::collection::vec;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

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
