use claw_client::types::from_line;

use super::*;

fn shown(lines: &[&str]) -> String {
    let mut out = Vec::new();
    let mut show = Show::new(&mut out);
    for line in lines {
        let message: Message = from_line(line.as_bytes()).unwrap();
        show.message(&message).unwrap();
        if let Ok(result) = TurnResult::try_from(message) {
            show.result(&result).unwrap();
        }
    }
    String::from_utf8(out).unwrap()
}

const DELTA: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi\u001b[2J"}},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#;
const ANSWER: &str = r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"Hi\u001b[2J"}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}"#;
const TOOL: &str = r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls\u009b"}}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}"#;
const OUTCOME: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"no\nway","is_error":true}]},"parent_tool_use_id":null}"#;

#[test]
fn streamed_text_is_shown_once_and_escaped() {
    assert_eq!(shown(&[DELTA, ANSWER]), "Hi\\u{1b}[2J\n");
}

#[test]
fn text_that_was_not_streamed_is_shown_too() {
    assert_eq!(shown(&[ANSWER]), "Hi\\u{1b}[2J\n");
}

#[test]
fn text_that_was_not_streamed_is_shown_behind_text_that_was() {
    let stop = r#"{"type":"stream_event","event":{"type":"message_stop"},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#;
    let text = "Hi\\u{1b}[2J\n";
    assert_eq!(
        shown(&[DELTA, ANSWER, stop, ANSWER]),
        format!("{text}{text}")
    );
}

#[test]
fn a_tool_has_a_line_and_its_outcome_another() {
    let text = shown(&[TOOL, OUTCOME]);
    assert_eq!(text, "● Bash({\"command\":\"ls\\u009b\"})\n  ✗ no way\n");
}
