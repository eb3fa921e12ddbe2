//! A kind that is in no published type and has another form than the one that claw knows is kept.

use claw_types::control::ControlRequestBody;
use claw_types::control::internal::InternalRequest;
use claw_types::dialect::{Dialect, Today};
use claw_types::message::internal::{InternalInput, InternalMessage, TaskSummary};
use claw_types::{DecodeErrorKind, Message, StdinMessage, StdoutMessage, from_line, untyped};

use crate::support::{message, stdin, stdout};

/// A line whose one field is this JSON. Where its tags stand is the caller's.
fn summary(detail: &str) -> [String; 3] {
    [
        format!(
            r#"{{"type":"system","subtype":"task_summary","detail":{detail},"uuid":"u","session_id":"s"}}"#
        ),
        format!(
            r#"{{"detail":{detail},"uuid":"u","session_id":"s","subtype":"task_summary","type":"system"}}"#
        ),
        format!(
            r#"{{ "subtype" : "task_summary","detail":{detail},"typ\u0065":"system","uuid":"u","session_id":"s" }}"#
        ),
    ]
}

#[test]
fn a_changed_field_makes_a_line_unknown_and_it_comes_back_byte_for_byte() {
    for line in summary(r#"[{"of":"tomorrow"}, 1.0]"#).iter().take(2) {
        let read: StdoutMessage = from_line(line.as_bytes()).unwrap();
        assert!(read.is_unknown(), "{line}");
        assert_eq!(read.kind(), "system/task_summary");
        // As serde writes it, which drops what stands between the keys.
        assert_eq!(serde_json::to_string(&read).unwrap(), *line);
        assert!(message(line).is_unknown(), "{line}");
        assert_eq!(stdout(line), read);
    }
    for line in summary("7") {
        assert!(matches!(message(&line), Message::Unknown(_)), "{line}");
        assert!(stdout(&line).is_unknown(), "{line}");
    }
    for line in summary(r#""Reading""#) {
        let Message::Internal(InternalMessage::TaskSummary(summary)) = message(&line) else {
            panic!("{line}");
        };
        assert_eq!(summary.detail.as_deref(), Some("Reading"));
    }
}

#[test]
fn a_changed_field_inside_makes_the_line_unknown() {
    let line = r#"{"type":"compact_progress","event":{"type":"hooks_start","hook_type":7},"uuid":"u","session_id":"s"}"#;
    assert!(message(line).is_unknown());
    // A union inside knows a kind of tomorrow, as everywhere.
    let line =
        r#"{"type":"compact_progress","event":{"type":"of_tomorrow"},"uuid":"u","session_id":"s"}"#;
    assert!(!message(line).is_unknown());
}

#[test]
fn lines_to_claude_are_kept_too() {
    let line = r#"{"type":"bash_command","command":"ls"}"#;
    assert!(matches!(
        stdin(line),
        StdinMessage::Internal(InternalInput::BashCommand(_))
    ));
    let line = r#"{"type":"bash_command","command":["ls"]}"#;
    assert!(matches!(stdin(line), StdinMessage::Unknown(_)));
}

#[test]
fn requests_are_kept_too() {
    let line = |sentiment: &str| {
        format!(
            r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"message_rated","messageUuid":"m","sentiment":{sentiment}}}}}"#
        )
    };
    let request = |line: &str| match stdin(line) {
        StdinMessage::ControlRequest(request) => request.request,
        other => panic!("{other:?}"),
    };
    let known = request(&line(r#""positive""#));
    assert!(matches!(
        &known,
        ControlRequestBody::Internal(InternalRequest::MessageRated(_))
    ));
    assert_eq!(known.subtype(), "message_rated");
    let of_tomorrow = request(&line("[1]"));
    assert!(of_tomorrow.is_unknown());
    assert_eq!(of_tomorrow.subtype(), "message_rated");
}

#[test]
fn a_published_kind_that_does_not_fit_is_an_error() {
    let line = r#"{"type":"tool_use_summary","summary":7,"preceding_tool_use_ids":[],"uuid":"u","session_id":"s"}"#;
    let error = from_line::<Message>(line.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "summary");
}

#[test]
fn a_line_that_is_no_json_is_an_error() {
    for line in [
        r#"{"type":"system","subtype":"task_summary","detail":7"#,
        r#"{"type":"system","subtype":"task_summary","detail":7x,"uuid":"u"}"#,
        r#"{"type":"system","subtype":"task_summary","detail":7}}"#,
    ] {
        let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::Syntax, "{line}");
    }
}

#[test]
fn half_a_surrogate_pair_makes_nothing_unknown() {
    let [line, ..] = summary(r#""cut \ud83d""#);
    let read: Message = from_line(line.as_bytes()).unwrap();
    let Message::Internal(InternalMessage::TaskSummary(summary)) = read else {
        panic!("{read:?}");
    };
    assert_eq!(summary.detail.as_deref(), Some("cut \u{fffd}"));
}

#[test]
fn half_a_surrogate_pair_in_what_is_unknown_stays_as_it_came() {
    let [line, ..] = summary(r#"["cut \ud83d"]"#);
    let read: Message = from_line(line.as_bytes()).unwrap();
    assert!(read.is_unknown());
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
}

/// The struct says what the union does not.
#[test]
fn why_a_line_is_unknown_can_be_found_out() {
    let [line, ..] = summary("7");
    let error = serde_json::from_str::<TaskSummary>(&line).unwrap_err();
    assert!(error.to_string().contains("detail"), "{error}");
    let kinds = untyped(&message(&line));
    assert_eq!(kinds.len(), 1, "{kinds:?}");
}

#[test]
fn an_internal_message_alone_is_as_lenient() {
    let [line, ..] = summary("7");
    let read: InternalMessage = serde_json::from_str(&line).unwrap();
    assert!(read.is_unknown());
    assert!(Message::from(read.clone()).is_unknown());
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
}

#[test]
fn in_a_dialect_it_is_todays_unknown() {
    let [line, ..] = summary("7");
    let read = claw_types::dialect::from_line(line.as_bytes()).unwrap();
    assert!(matches!(&read, Dialect::Today(Today::Stdout(line)) if line.is_unknown()));
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
}
