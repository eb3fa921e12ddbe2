//! `claw run` with recordings of turns that end in unusual ways.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::claw::{Ran, claw, ran};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

fn play(recording: &Path, prompt: &str) -> Ran {
    let recording = recording.to_str().unwrap();
    let mut command = claw(&["run", prompt, "--replay", recording]);
    ran(command.env_remove("PATH").output().unwrap())
}

/// A copy of a recording with one result, counted from 0, made an error.
fn with_failed_result(name: &str, which: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        fixture(name).join("stdin.ndjson"),
        folder.path().join("stdin.ndjson"),
    )
    .unwrap();
    let text = fs::read_to_string(fixture(name).join("stdout.ndjson")).unwrap();
    let mut results = 0;
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["type"] == "result" {
            if results == which {
                line["is_error"] = true.into();
            }
            results += 1;
        }
        format!("{line}\n")
    });
    let text: String = lines.collect();
    assert!(which < results);
    fs::write(folder.path().join("stdout.ndjson"), text).unwrap();
    folder
}

#[test]
fn the_prompts_own_result_counts_and_not_a_background_turns() {
    let name = "subagent_background_closed";
    let run = play(&fixture(name), "Ask an agent.");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("It is on its way."), "{}", run.stdout);
    let background = "Two files, says the agent.";
    assert!(!run.stdout.contains(background), "{}", run.stdout);
    assert!(run.stderr.contains(background), "{}", run.stderr);
    let background_failed = play(with_failed_result(name, 1).path(), "Ask an agent.");
    assert_eq!(
        background_failed.code,
        Some(0),
        "{}",
        background_failed.stderr
    );
    let own_failed = play(with_failed_result(name, 0).path(), "Ask an agent.");
    assert_eq!(own_failed.code, Some(1), "{}", own_failed.stderr);
}

#[test]
fn other_unusual_turns_end_as_they_should() {
    for (name, prompt, code, shown) in [
        ("hook_defer_resumed.2", "Go on.", 0, "The file is written."),
        (
            "hook_defer_resumed_oldest.2",
            "Go on.",
            0,
            "The file is written.",
        ),
        ("max_budget_tool", "Say hello.", 6, "— error:"),
        ("max_turns_tool", "Search, and say hello.", 6, "— error:"),
        ("forked_command", "/count", 0, "There is one file."),
        ("server_tools_whole", "Search for claw.", 1, "— error:"),
    ] {
        let run = play(&fixture(name), prompt);
        assert_eq!(run.code, Some(code), "{name}: {}{}", run.stdout, run.stderr);
        let stream = if code == 0 { &run.stdout } else { &run.stderr };
        assert!(stream.contains(shown), "{name}: {stream}");
    }
}
