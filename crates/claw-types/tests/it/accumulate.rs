//! An answer out of its events is the answer out of its lines: on every recording that has both.

use claw_types::accumulate::{AccumulateError, Accumulator, Answers};
use claw_types::api::{
    ApiMessage, ContentBlock, ContentBlockDeltaEvent, ContentBlockStartEvent,
    ContentBlockStopEvent, InputJsonDelta, MessageStartEvent, MessageStopEvent, Role, StreamEvent,
    TextBlock, TextDelta, ToolUseBlock, Usage,
};
use claw_types::{Message, from_line};
use serde_json::json;

use crate::support::recorded;

#[test]
fn events_and_lines_give_the_same_answers() {
    let mut growing = Accumulator::default();
    let mut answers = Answers::default();
    let mut newest: Option<ApiMessage> = None;
    let (mut compared, mut stopped) = (0, 0);
    let mut recorded = recorded("stdout.ndjson");
    // The API that those were recorded with gave several answers the same id.
    recorded.retain(|sample| !sample.name.starts_with("official_"));
    for sample in recorded {
        match from_line::<Message>(sample.line.as_bytes()) {
            Ok(Message::StreamEvent(event)) => {
                let pushed = growing.push(&event.event);
                pushed.unwrap_or_else(|error| panic!("{}: {error}", sample.name));
                let Some(answer) = growing.message().filter(|_| growing.is_complete()) else {
                    continue;
                };
                let Some(lines) = newest.take().filter(|lines| lines.id == answer.id) else {
                    continue;
                };
                assert_eq!(answer.content, lines.content, "{}", sample.name);
                // An answer that was interrupted never said why it stopped.
                stopped += usize::from(answer.stop_reason.is_some());
                compared += 1;
            }
            Ok(Message::Assistant(line)) if line.parent_tool_use_id.is_none() => {
                newest = Some(answers.push(*line).message.clone());
            }
            _ => {}
        }
    }
    assert!(compared >= 5, "{compared} answers stand in both forms");
    assert!(
        stopped >= 5,
        "{stopped} of {compared} said why they stopped"
    );
}

fn begun() -> Accumulator {
    let answer = ApiMessage::new("msg_1", Role::Assistant, "m", vec![], Usage::new(0));
    let mut growing = Accumulator::default();
    growing
        .push(&MessageStartEvent::new(answer).into())
        .unwrap();
    growing
}

fn json(index: u64, text: &str) -> StreamEvent {
    ContentBlockDeltaEvent::new(index, InputJsonDelta::new(text)).into()
}

#[test]
fn a_tool_input_is_seen_while_it_grows() {
    let mut growing = begun();
    let block = ToolUseBlock::new("toolu_1", "Bash", json!({}));
    growing
        .push(&ContentBlockStartEvent::new(3, block).into())
        .unwrap();
    assert!(growing.partial_input(3).is_none());
    for piece in ["{\"comm", "and\": \"ls", " -l\""] {
        growing.push(&json(3, piece)).unwrap();
    }
    let partial = growing.partial_input(3).unwrap();
    assert_eq!(partial.as_str(), "{\"command\": \"ls -l\"");
    let completed = partial.completed().unwrap().to_value().unwrap();
    assert_eq!(completed, json!({"command": "ls -l"}));
    growing.push(&json(3, "}")).unwrap();
    growing.push(&ContentBlockStopEvent::new(3).into()).unwrap();
    assert!(growing.partial_input(3).is_none());
    let ContentBlock::ToolUse(used) = &growing.message().unwrap().content[0] else {
        panic!();
    };
    assert_eq!(used.input.to_value().unwrap(), completed);
}

#[test]
fn what_does_not_fit_is_said_and_changes_nothing() {
    let delta = |index| StreamEvent::from(ContentBlockDeltaEvent::new(index, TextDelta::new("x")));
    let mut growing = Accumulator::default();
    assert_eq!(growing.push(&delta(0)), Err(AccumulateError::NoMessage));
    let stop = StreamEvent::from(MessageStopEvent::new());
    assert_eq!(growing.push(&stop), Err(AccumulateError::NoMessage));
    let mut growing = begun();
    let missing = Err(AccumulateError::NoBlock { index: 0 });
    assert_eq!(growing.push(&delta(0)), missing);
    let start = ContentBlockStartEvent::new(0, TextBlock::new(""));
    growing.push(&start.into()).unwrap();
    let mismatch = Err(AccumulateError::Mismatch { index: 0 });
    assert_eq!(growing.push(&json(0, "{}")), mismatch);
    growing.push(&delta(0)).unwrap();
    let stop = StreamEvent::from(ContentBlockStopEvent::new(0));
    growing.push(&stop).unwrap();
    assert_eq!(growing.push(&stop), missing);
    let tool = ToolUseBlock::new("toolu_1", "Bash", json!({}));
    growing
        .push(&ContentBlockStartEvent::new(1, tool).into())
        .unwrap();
    growing.push(&json(1, "{\"a\"")).unwrap();
    let stop = StreamEvent::from(ContentBlockStopEvent::new(1));
    let input = Err(AccumulateError::Input { index: 1 });
    assert_eq!(growing.push(&stop), input);
    assert_eq!(growing.message().unwrap().text(), "x");
    assert_eq!(growing.take().unwrap().content.len(), 2);
    assert!(growing.message().is_none());
}

#[test]
fn speakers_do_not_mix() {
    let line = |id: &str, parent: Option<&str>, text: &str| {
        let text = vec![TextBlock::new(text).into()];
        let answer = ApiMessage::new(id, Role::Assistant, "m", text, Usage::new(1));
        let line = claw_types::message::AssistantMessage::new(answer, "u", "s");
        match parent {
            Some(parent) => line.parent_tool_use_id(parent),
            None => line,
        }
    };
    let mut answers = Answers::default();
    let mut text = |line| answers.push(line).message.text();
    assert_eq!(text(line("m1", None, "a")), "a");
    assert_eq!(text(line("m2", Some("t"), "x")), "x");
    assert_eq!(text(line("m1", None, "b")), "ab");
    assert_eq!(text(line("m2", Some("t"), "y")), "xy");
    assert_eq!(text(line("m3", None, "c")), "c");
}
