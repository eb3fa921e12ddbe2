use claw_client::types::from_line;
use serde_json::{Value, json};

use super::*;

fn said(block: &Value) -> Message {
    let line = json!({
        "type": "assistant", "parent_tool_use_id": null, "uuid": "u", "session_id": "s",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": null, "stop_sequence": null, "usage": {"output_tokens": 1}
        }
    });
    from_line(line.to_string().as_bytes()).unwrap()
}

fn text(text: &str) -> Message {
    said(&json!({"type": "text", "text": text}))
}

fn uses(id: &str, command: &str) -> Message {
    said(&json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}))
}

fn gave(id: &str) -> Message {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": ""});
    let line = json!({
        "type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": null,
        "uuid": "u", "session_id": "s"
    });
    from_line(line.to_string().as_bytes()).unwrap()
}

fn lines(messages: &[Message]) -> Vec<Option<String>> {
    let mut doing = CurrentActivity::default();
    let line = |message| {
        doing.push(message);
        doing.line(60)
    };
    messages.iter().map(line).collect()
}

#[test]
fn numbers_stay_while_tools_come_and_go() {
    let result = json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "", "stop_reason": null, "total_cost_usd": 0, "usage": {"output_tokens": 1},
        "modelUsage": {}, "permission_denials": [], "uuid": "end", "session_id": "s"
    });
    let messages = [
        text("Hello."),
        text("Running test 5 of 20..."),
        uses("t1", "make test"),
        gave("t1"),
        from_line(result.to_string().as_bytes()).unwrap(),
    ];
    let line = |line: &str| Some(line.to_owned());
    let expected = [
        None,
        line("⋯ Running tests 5/20"),
        line("⋯ Running tests 5/20 · Bash(make test)"),
        line("⋯ Running tests 5/20"),
        None,
    ];
    assert_eq!(lines(&messages), expected);
}

#[test]
fn what_comes_from_the_wire_is_escaped_and_cut_to_the_width() {
    let hostile = "a\u{1b}[2J\u{202e}\r\n日本語 ".repeat(20);
    let mut doing = CurrentActivity::default();
    doing.push(&uses("t1", &hostile));
    for width in [0, 1, 2, 3, 10, 20, 40, 79] {
        let line = doing.line(width).unwrap();
        let wide: usize = line.chars().map(|c| c.width().unwrap()).sum();
        assert!(wide < width.max(1), "{width}: {line:?}");
    }
    let line = doing.line(1_000).unwrap();
    assert!(
        !line.contains(['\u{1b}', '\r', '\n', '\u{202e}']),
        "{line:?}"
    );
}
