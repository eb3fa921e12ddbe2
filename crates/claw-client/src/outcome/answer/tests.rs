use bytes::Bytes;
use claw_codec::Line;
use serde_json::{Value, json};

use super::*;

fn part(id: &str, parent: Option<&str>, block: &Value) -> String {
    json!({"type": "assistant", "message": {"id": id, "type": "message", "role": "assistant", "model": "m",
        "content": [block], "stop_reason": null, "stop_sequence": null, "usage": {"output_tokens": 5}},
        "parent_tool_use_id": parent, "uuid": "u", "session_id": "s"})
    .to_string()
}

fn text(id: &str, text: &str) -> String {
    part(id, None, &json!({"type": "text", "text": text}))
}

fn user(text: &str, is_synthetic: bool) -> String {
    json!({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        "parent_tool_use_id": null, "uuid": "u", "session_id": "s", "isSynthetic": is_synthetic})
    .to_string()
}

fn result(text: &str, is_error: bool) -> String {
    json!({"type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": is_error,
        "num_turns": 1, "stop_reason": null, "total_cost_usd": 0, "usage": {"output_tokens": 1}, "modelUsage": {},
        "permission_denials": [], "result": text, "uuid": "u", "session_id": "s"})
    .to_string()
}

/// Returns the answers in these lines.
fn answers(lines: &[String]) -> Vec<String> {
    let mut answer = FinalAnswer::default();
    let messages = lines
        .iter()
        .map(|line| from_line::<Message>(line.as_bytes()).unwrap());
    let results = messages.filter_map(|message| answer.result(message).ok());
    results.map(|result| result.text().into_owned()).collect()
}

const RESUME: &str =
    "Your response above was cut off mid-stream. Resume directly from where it stops — no apology.";

#[test]
fn an_answer_is_all_texts_of_the_last_message() {
    let lines = [
        text("1", "I look. "),
        part(
            "1",
            None,
            &json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}}),
        ),
        text("2", "By page. "),
        part(
            "3",
            Some("t"),
            &json!({"type": "text", "text": "A sub-agent's. "}),
        ),
        text("2", "By block."),
        result("By block.", false),
        // The result of another turn. It belongs to no message.
        result("", false),
        text("4", "one"),
        result("one", false),
        // This result does not belong to the message before it.
        text("5", "one"),
        result("A local command's output", false),
        text("6", "one "),
        text("6", "two\n"),
        result("two", false),
        text("7", "one "),
        text("7", "two"),
        result("two", true),
        // The last block is not a text.
        text("8", "all of it"),
        part(
            "8",
            None,
            &json!({"type": "thinking", "thinking": "hm", "signature": "s"}),
        ),
        result("", false),
    ];
    let expected = [
        "By page. By block.",
        "",
        "one",
        "A local command's output",
        "one two\n",
        "two",
        "all of it",
    ];
    assert_eq!(answers(&lines), expected);
}

#[test]
fn a_message_that_was_cut_off_belongs_to_the_one_that_continues_it() {
    let resumed = |prompt: String| {
        [
            text("1", "First half, "),
            prompt,
            text("2", "second half."),
            result("second half.", false),
        ]
    };
    assert_eq!(
        answers(&resumed(user(RESUME, true))),
        ["First half, second half."]
    );
    // A person, and not the CLI, has written the same words. So the answer does not continue the
    // earlier message.
    assert_eq!(answers(&resumed(user(RESUME, false))), ["second half."]);
    assert_eq!(
        answers(&resumed(user("Stop hook feedback", true))),
        ["second half."]
    );
}

#[test]
fn lines_are_read_as_messages_are() {
    let line = |line: String| LineItem::Line(Line::new(1, Bytes::from(line)));
    let part_of = |id: &str| Some(AnswerLine::Part(id.to_owned()));
    assert_eq!(answer_line(&line(text("1", "a"))), part_of("1"));
    let reordered = r#"{"message":{"content":[],"id":"2"},"type":"assistant"}"#;
    assert_eq!(answer_line(&line(reordered.to_owned())), part_of("2"));
    assert_eq!(
        answer_line(&line(user(RESUME, true))),
        Some(AnswerLine::Resumption)
    );
    for report in [
        r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{}}"#,
        r#"{"type":"system","subtype":"status","status":null,"compact_result":"failed"}"#,
    ] {
        let report = answer_line(&line(report.to_owned()));
        assert_eq!(report, Some(AnswerLine::Compaction));
    }
    let others = [
        r#"{"type":"system","subtype":"status","status":"compacting"}"#.to_owned(),
        user(RESUME, false),
        user("Another", true),
        part("3", Some("t"), &json!({"type": "text", "text": "a"})),
        result("a", false),
        "no JSON".to_owned(),
    ];
    for other in others {
        assert_eq!(answer_line(&line(other.clone())), None, "{other}");
    }
}
