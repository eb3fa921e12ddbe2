//! Tests with the example and the patterns of the document "Claude Code SDK Message Schema Specification".

use claw_types::StdoutMessage;
use claw_types::dialect::{Fill, Today, from_line};
use claw_view::progress::{Certainty, Progress, Source, Tracker, in_output, in_prose};

/// Returns the `currentStep` and the numbers of the document's `progress_update`.
fn update(progress: &Progress) -> (Option<&str>, Option<u64>, Option<u64>, Option<f64>) {
    (
        progress.step.as_deref(),
        progress.completed,
        progress.total,
        progress.percentage,
    )
}

#[test]
fn running_test_x_of_y_is_step_completed_total_and_percentage() {
    let progress = in_prose("Running test 5 of 20").unwrap();
    assert_eq!(
        update(&progress),
        (Some("Running tests"), Some(5), Some(20), Some(25.0))
    );
}

#[test]
fn the_example_translation_gives_the_documented_progress_update() {
    // This is the line of the document. `upgrade` adds the fields that it lacks.
    let line = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"I'll run the test suite now. Running test 5 of 20..."}]},"session_id":"sess_123"}"#;
    let read = from_line(line).unwrap();
    let fill = Fill::new("s", "u").model("m").message_id("msg_1");
    let Today::Stdout(StdoutMessage::Message(message)) = read.upgrade(&fill).unwrap() else {
        panic!("no message: {read:?}")
    };
    let found = Tracker::new().push(&message);
    let [progress] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        update(progress),
        (Some("Running tests"), Some(5), Some(20), Some(25.0))
    );
    assert_eq!(
        (progress.source, progress.certainty),
        (Source::AssistantText, Certainty::Likely)
    );
}

#[test]
fn a_mention_of_a_sub_agent_is_progress_of_its_own_source() {
    let progress =
        in_prose("The test-runner subagent is now checking the integration tests.").unwrap();
    assert_eq!(progress.source, Source::SubagentMention);
    assert_eq!((progress.completed, progress.percentage), (None, None));
}

#[test]
fn command_outputs_are_parsed() {
    let progress = in_output("Running test 5 of 20").unwrap();
    assert_eq!(
        update(&progress),
        (Some("Running tests"), Some(5), Some(20), Some(25.0))
    );
    assert_eq!(progress.source, Source::CommandOutput);
}
