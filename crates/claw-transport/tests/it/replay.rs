//! Every recording of the project can be played.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use claw_codec::LineItem;
use claw_transport::{Parts, Recorder, Replay, Transport};
use futures::StreamExt;
use serde_json::Value;

/// Folders of recordings in which something was written.
fn recordings() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let entries = std::fs::read_dir(fixtures).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let found: Vec<_> = folders
        .filter(|folder| {
            folder.join(Replay::STDIN).is_file() && folder.join(Replay::STDOUT).is_file()
        })
        .collect();
    assert!(found.len() > 100, "{} are too few", found.len());
    found
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

async fn next(parts: &mut Parts) -> Option<Bytes> {
    let line = tokio::time::timeout(Duration::from_mins(1), parts.incoming.next());
    match line.await.expect("a line comes") {
        Some(Ok(LineItem::Line(line))) => Some(line.raw),
        Some(other) => panic!("{other:?}"),
        None => None,
    }
}

/// A line as it is compared; where it holds half of an emoji, which no text can, as it is.
fn value(line: &[u8]) -> Value {
    let text = || String::from_utf8(line.to_owned()).unwrap().into();
    serde_json::from_slice(line).unwrap_or_else(|_| text())
}

/// Ids of today in place of the recorded ones, by the number of the line.
fn renamed(number: usize, line: &str) -> String {
    let mut line: Value = serde_json::from_str(line).unwrap();
    if line["type"] == "control_request" {
        line["request_id"] = format!("today-{number}").into();
    }
    line.to_string()
}

/// A program that writes each line once what it answers has come, and reads no more than that.
#[tokio::test]
async fn each_recording_is_played_to_its_end() {
    for folder in recordings() {
        let name = folder.display();
        let recorded = read(&folder, Replay::STDOUT);
        let mut parts = Replay::open(&folder)
            .unwrap()
            .open()
            .await
            .unwrap()
            .into_parts();
        let mut played = Vec::new();
        for (number, line) in read(&folder, Replay::STDIN).lines().enumerate() {
            let written: Value = serde_json::from_str(line).unwrap();
            let question = &written["response"]["request_id"];
            let has_come = |played: &[Value]| {
                played.iter().any(|line| {
                    line["type"] == "control_request" && line["request_id"] == *question
                })
            };
            while question.is_string() && !has_come(&played) {
                let line = next(&mut parts).await;
                let line = line.unwrap_or_else(|| panic!("{name}: no question {question}"));
                played.push(value(&line));
            }
            let sent = parts.outgoing.send(renamed(number, line).into()).await;
            sent.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        parts.outgoing.close().await.unwrap();
        while let Some(line) = next(&mut parts).await {
            played.push(value(&line));
        }
        let mut recorded: Vec<Value> = recorded
            .lines()
            .map(|line| value(line.as_bytes()))
            .collect();
        for line in played.iter_mut().chain(&mut recorded) {
            if line["type"] == "control_response" {
                line["response"]["request_id"] = Value::Null;
            }
        }
        assert_eq!(played.len(), recorded.len(), "{name}");
        for (played, recorded) in played.iter().zip(&recorded) {
            assert_eq!(played, recorded, "{name}");
        }
    }
}

#[tokio::test]
async fn what_is_recorded_from_a_recording_is_that_recording() {
    let folder = tempfile::tempdir().unwrap();
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bash_denied");
    let replay = Replay::open(&original).unwrap();
    let copy = folder.path().join("a/copy");
    let mut parts = Recorder::create_in(replay, &copy)
        .unwrap()
        .open()
        .await
        .unwrap()
        .into_parts();
    for line in read(&original, Replay::STDIN).lines() {
        parts
            .outgoing
            .send(Bytes::from(line.to_owned()))
            .await
            .unwrap();
    }
    while next(&mut parts).await.is_some() {}
    for name in [Replay::STDOUT, Replay::STDIN] {
        assert_eq!(read(&copy, name), read(&original, name));
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let mode = copy.join(name).metadata().unwrap().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
