//! Tests of the progress in all recordings of the real CLI.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use claw_types::{StdoutMessage, from_line};
use claw_view::progress::{Progress, Source, Tracker};

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("stdout.ndjson"))
        .filter(|file| file.exists())
        .collect();
    files.sort();
    files
}

/// Whether the numbers of a report are consistent, its step is not empty, and its worker has an ID unless only a text
/// mentions it.
pub(crate) fn is_plausible(progress: &Progress) -> bool {
    let counts = match (progress.completed, progress.total) {
        (Some(completed), Some(total)) => completed <= total && total > 0,
        (None, Some(_)) => false,
        (_, None) => true,
    };
    counts
        && progress
            .percentage
            .is_none_or(|percentage| (0.0..=100.0).contains(&percentage))
        && progress
            .step
            .as_ref()
            .is_none_or(|step| !step.trim().is_empty())
        && progress
            .worker
            .as_ref()
            .is_none_or(|w| w.task_id.is_some() || w.tool_use_id.is_some() || is_of_words(progress))
}

/// Whether a text is the only source of the progress. Then no ID of the sub-agent is known.
fn is_of_words(progress: &Progress) -> bool {
    progress.source == Source::SubagentMention
}

#[test]
fn all_recordings_go_through_and_what_is_found_is_plausible() {
    let mut counts = BTreeMap::<Source, u32>::new();
    for file in recordings() {
        let mut tracker = Tracker::new();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let Ok(StdoutMessage::Message(message)) = from_line(line.as_bytes()) else {
                continue;
            };
            for progress in tracker.push(&message) {
                assert!(is_plausible(&progress), "{}: {progress:?}", file.display());
                *counts.entry(progress.source).or_default() += 1;
                let json = serde_json::to_string(&progress).unwrap();
                assert_eq!(serde_json::from_str::<Progress>(&json).unwrap(), progress);
            }
        }
    }
    println!("{counts:?}");
    let structured = [
        Source::ToolProgress,
        Source::ToolUse,
        Source::Task,
        Source::TodoList,
        Source::Thinking,
        Source::Session,
        Source::Retry,
        Source::Compaction,
        Source::Turn,
    ];
    for source in structured {
        assert!(
            counts.remove(&source).is_some(),
            "no {source:?}: {counts:?}"
        );
    }
    // No text in the recordings reports progress.
    assert!(counts.is_empty(), "{counts:?}");
}
