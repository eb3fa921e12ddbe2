//! The answer is printed, once, whoever says it.

use std::fs;

use serde_json::Value;

use super::claw::{claw, fixtures, ran};

const PROMPT: &str = "What is 2 + 2?";
const ANSWER: &str = "Two and two make 4.";

/// What `claw run` and `claw show` print of a recording of which only some lines are kept, on stderr and stdout.
fn printed(name: &str, keep: impl Fn(&Value) -> bool) -> [[String; 2]; 2] {
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
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        [ran.stderr, ran.stdout]
    })
}

/// `claw run` prints the answer on stdout, and the summary on stderr. `claw show` prints both on stdout.
fn check([run, show]: [[String; 2]; 2]) {
    assert_eq!(run[1].trim(), ANSWER, "{run:?}");
    assert!(run[0].contains("— done:"), "{run:?}");
    assert!(!run[0].contains(ANSWER), "{run:?}");
    let [said, shown] = show;
    assert_eq!(said, "");
    assert_eq!(shown.matches(ANSWER).count(), 1, "{shown}");
    assert!(shown.find(ANSWER) < shown.find("— done:"), "{shown}");
}

#[test]
fn an_answer_that_only_the_result_has_is_printed() {
    for name in ["text", "text_whole"] {
        let only_result =
            |line: &Value| line["type"] != "assistant" && line["type"] != "stream_event";
        check(printed(name, only_result));
    }
}

#[test]
fn an_answer_that_the_model_and_the_result_have_is_printed_once() {
    for name in ["text", "text_whole"] {
        check(printed(name, |_| true));
    }
}
