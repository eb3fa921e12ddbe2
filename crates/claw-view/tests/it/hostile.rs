//! Tests with input that only an attacker writes.

use claw_view::element::Content;
use claw_view::{Change, Input, Timeline};

use crate::sessions::fed;

fn assistant(uuid: usize, block: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"msg_{uuid}","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1}}}},"parent_tool_use_id":null,"uuid":"u-{uuid}","session_id":"s"}}"#
    )
}

fn event(uuid: usize, event: &str) -> String {
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"s","parent_tool_use_id":null,"uuid":"e-{uuid}"}}"#
    )
}

#[test]
fn a_line_of_a_megabyte_is_one_element_with_a_short_preview() {
    let text = "x".repeat(1 << 20);
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"t","content":"{text}"}}"#);
    let line = format!(
        r#"{{"type":"user","message":{{"role":"user","content":[{block}]}},"parent_tool_use_id":null,"uuid":"u"}}"#
    );
    let (elements, ..) = fed([line.as_str()]);
    let Some(Content::ToolResult(result)) = elements.iter().next().map(|element| &element.content)
    else {
        panic!("no result")
    };
    assert_eq!(
        (result.text.len(), result.preview.text.len()),
        (1 << 20, 1_000)
    );
}

#[test]
fn deep_nesting_is_shown_and_not_followed() {
    for depth in [100, 10_000, 200_000] {
        let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let tool = |name| {
            let input = format!(r#"{{"command":{deep}}}"#);
            assistant(
                depth,
                &format!(r#"{{"type":"tool_use","id":"t","name":"{name}","input":{input}}}"#),
            )
        };
        for line in [
            deep.clone(),
            tool("Bash"),
            tool("mcp__a__b"),
            format!(r#"{{"type":{deep}}}"#),
        ] {
            let (elements, ..) = fed([line.as_str()]);
            assert_eq!(elements.len(), 1, "{depth}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_shown_as_it_came() {
    for line in [
        "{",
        "null",
        "[]",
        "\u{202e}abc",
        "{\"type\":\"assistant\"}",
        "{}",
        "{\"type\":\"new\"}",
    ] {
        let (elements, ..) = fed([line]);
        let Some(Content::Unknown(unknown)) =
            elements.iter().next().map(|element| &element.content)
        else {
            panic!("{line}")
        };
        assert!(!unknown.kind.is_empty() && unknown.text == line);
    }
    assert_eq!(fed(["", "  ", "\n"]).0.len(), 0);
}

#[test]
fn titles_hold_no_control_characters() {
    let block = r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"\u001b[2J\u0007rm\n-rf"}}"#;
    let (elements, ..) = fed([assistant(1, block).as_str()]);
    let Some(Content::ToolCall(call)) = elements.iter().next().map(|element| &element.content)
    else {
        panic!("no call")
    };
    assert_eq!(call.title, "Bash(\u{fffd}[2J\u{fffd}rm -rf)");
}

/// Returns the size of all changes for an answer that streams in this number of pieces, in bytes.
fn written(pieces: usize) -> usize {
    let mut timeline = Timeline::default();
    let mut lines = vec![
        event(
            0,
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}}"#,
        ),
        event(
            1,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ),
    ];
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"0123456789"}}"#;
    lines.extend((0..pieces).map(|piece| event(piece + 2, delta)));
    let text = "0123456789".repeat(pieces);
    lines.push(assistant(
        1,
        &format!(r#"{{"type":"text","text":"{text}"}}"#),
    ));
    let mut written = 0;
    for line in &lines {
        for change in timeline.push(Input::Line(line)) {
            written += serde_json::to_string(&change).expect("JSON").len();
        }
    }
    written
}

#[test]
fn a_growing_answer_costs_what_it_is_long() {
    let (one, ten) = (written(200), written(2_000));
    assert!(ten < one * 11, "{one} for 200 pieces, {ten} for 2,000");
}

#[test]
fn what_was_never_completed_is_taken_away() {
    let mut timeline = Timeline::default();
    let start = |number| {
        event(
            number,
            &format!(
                r#"{{"type":"message_start","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":1}}}}}}"#
            ),
        )
    };
    timeline.push(Input::Line(&start(1)));
    let begun = event(
        2,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}"#,
    );
    assert!(matches!(
        &timeline.push(Input::Line(&begun))[..],
        [Change::Added(_)]
    ));
    assert!(matches!(
        &timeline.push(Input::Line(&start(3)))[..],
        [Change::Removed(_)]
    ));
}
