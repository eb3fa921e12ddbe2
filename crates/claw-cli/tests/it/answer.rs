//! The answer is printed, once, whoever says it.

use std::fs;

use serde_json::Value;

use super::claw::{claw, ran};
use super::show::fixtures;

const PROMPT: &str = "What is 2 + 2?";
const ANSWER: &str = "Two and two make 4.";

/// What `claw run` and `claw show` print of a recording of which only some lines are kept.
fn printed(name: &str, keep: impl Fn(&Value) -> bool) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let recorded = fixtures().join(name);
    let lines = fs::read_to_string(recorded.join("stdout.ndjson")).unwrap();
    let kept = lines
        .lines()
        .filter(|line| keep(&serde_json::from_str(line).unwrap()));
    let kept = kept.flat_map(|line| [line, "\n"]).collect::<String>();
    fs::write(folder.path().join("stdout.ndjson"), kept).unwrap();
    fs::copy(
        recorded.join("stdin.ndjson"),
        folder.path().join("stdin.ndjson"),
    )
    .unwrap();
    let folder = folder.path().to_str().unwrap();
    [&["run", PROMPT, "--replay", folder][..], &["show", folder]].map(|args| {
        let ran = ran(claw(args).output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        ran.stdout
    })
}

#[test]
fn an_answer_that_only_the_result_has_is_printed() {
    for name in ["text", "text_whole"] {
        let only_result =
            |line: &Value| line["type"] != "assistant" && line["type"] != "stream_event";
        for printed in printed(name, only_result) {
            let answer = printed
                .find(ANSWER)
                .unwrap_or_else(|| panic!("no answer in {printed}"));
            let done = printed.find("— done:").unwrap();
            assert!(answer < done, "{printed}");
            assert_eq!(printed.matches(ANSWER).count(), 1, "{printed}");
        }
    }
}

#[test]
fn an_answer_that_the_model_and_the_result_have_is_printed_once() {
    for name in ["text", "text_whole"] {
        for printed in printed(name, |_| true) {
            assert_eq!(printed.matches(ANSWER).count(), 1, "{printed}");
        }
    }
}
