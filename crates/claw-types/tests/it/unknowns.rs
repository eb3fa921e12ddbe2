//! What claw does not know is kept, says so, and is sent on as it came.

use claw_types::api::{ContentBlock, ContentBlockDelta, StopReason, StreamEvent};
use claw_types::control::{ControlRequestBody, ControlResponseBody, PermissionUpdate};
use claw_types::message::TerminalReason;
use claw_types::{Message, StdinMessage, StdoutMessage, from_line};

use crate::support::{message, seed, stdin, stdout};

#[test]
fn unknown_kinds_are_sent_on_as_they_came() {
    for line in [
        r#"{"type":"of_tomorrow","n":1.0,"s":"\u00fc"}"#,
        r#"{"type":"system","subtype":"of_tomorrow","n":[1,2,{}]}"#,
        r#"{"type":"system"}"#,
        r#"{"type":"system","subtype":null}"#,
        r#"{"subtype":"init"}"#,
        r#"{"no":"tag"}"#,
        r#"{"type":null,"subtype":"init"}"#,
        r#"{"type":7}"#,
        r#"{"type":["user"]}"#,
        r#"{"type":{"type":"user"}}"#,
        r#"{"type":""}"#,
        r#"{"":"","type":"\u0000"}"#,
        "{}",
    ] {
        assert!(message(line).is_unknown(), "{line}");
        assert!(stdout(line).is_unknown(), "{line}");
        assert!(stdin(line).is_unknown(), "{line}");
        // Byte for byte, not only by value.
        let value: StdoutMessage = from_line(line.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), line);
    }
}

#[test]
fn an_unknown_message_shows_its_keys() {
    let Message::Unknown(unknown) = message(r#"{"type":"of_tomorrow","uuid":"u","n":1}"#) else {
        panic!();
    };
    assert_eq!(unknown.text("type").as_deref(), Some("of_tomorrow"));
    assert_eq!(unknown.text("uuid").as_deref(), Some("u"));
    assert_eq!(unknown.text("n"), None);
    assert_eq!(unknown.text("absent"), None);
    assert_eq!(unknown.json().get("n").unwrap().parse::<u8>().unwrap(), 1);
}

#[test]
fn kinds_of_the_other_direction_are_unknown() {
    assert!(stdin(&seed("assistant_text")).is_unknown());
    assert!(message(&seed("keep_alive")).is_unknown());
    assert!(!stdin(&seed("control_initialize")).is_unknown());
}

#[test]
fn unknown_content_blocks() {
    let Message::Assistant(assistant) = message(&seed("assistant_unknown_block")) else {
        panic!();
    };
    let unknown: Vec<_> = assistant
        .message
        .content
        .iter()
        .map(ContentBlock::is_unknown)
        .collect();
    assert_eq!(unknown, [true, true, true, false]);
}

#[test]
fn unknown_stream_events_and_deltas() {
    let Message::StreamEvent(event) = message(&seed("event_unknown")) else {
        panic!();
    };
    assert!(event.event.is_unknown());
    let Message::StreamEvent(event) = message(&seed("event_unknown_delta")) else {
        panic!();
    };
    let StreamEvent::ContentBlockDelta(event) = event.event else {
        panic!();
    };
    assert!(matches!(event.delta, ContentBlockDelta::Unknown(_)));
}

#[test]
fn unknown_control_subtypes_answers_and_updates() {
    let StdoutMessage::ControlRequest(request) = stdout(&seed("control_unknown")) else {
        panic!();
    };
    assert!(request.request.is_unknown());
    assert_eq!(request.request.subtype(), "brand_new");
    let StdinMessage::ControlResponse(response) = stdin(&seed("control_odd_response")) else {
        panic!();
    };
    assert!(matches!(response.response, ControlResponseBody::Unknown(_)));
    let StdoutMessage::ControlRequest(request) = stdout(&seed("control_can_use_tool")) else {
        panic!();
    };
    let ControlRequestBody::CanUseTool(ask) = request.request else {
        panic!();
    };
    let unknown: Vec<_> = ask
        .permission_suggestions
        .unwrap()
        .iter()
        .map(PermissionUpdate::is_unknown)
        .collect();
    assert_eq!(unknown, [false, false, false, true]);
}

#[test]
fn an_unknown_error_still_ends_its_turn() {
    let Message::ResultError(error) = message(&seed("result_error_unknown")) else {
        panic!();
    };
    assert!(!error.subtype.is_known());
    assert_eq!(error.subtype.as_str(), "error_of_tomorrow");
}

#[test]
fn unknown_values_of_enumerations() {
    let Message::ResultSuccess(result) = message(&seed("result_free")) else {
        panic!();
    };
    let reason = result.terminal_reason.unwrap();
    assert!(!reason.is_known());
    assert_eq!(reason, TerminalReason::from("eaten_by_a_grue"));
    let line = seed("event_message_delta").replace("\"tool_use\"", "\"Tool_Use\"");
    let Message::StreamEvent(event) = message(&line) else {
        panic!();
    };
    let StreamEvent::MessageDelta(event) = event.event else {
        panic!();
    };
    assert_eq!(event.delta.stop_reason, Some(StopReason::from("Tool_Use")));
    assert_ne!(event.delta.stop_reason, Some(StopReason::ToolUse));
}

#[test]
fn unknown_fields_can_be_read_changed_and_taken_out() {
    let line = r#"{"type":"user","message":{"role":"user","content":"x","a":1},"parent_tool_use_id":null,"b":2,"c":3}"#;
    let Message::User(mut user) = message(line) else {
        panic!();
    };
    assert_eq!(user.message.extra.get("a").unwrap().as_raw(), "1");
    assert_eq!(user.extra.len(), 2);
    user.extra.insert("b", claw_types::Json::null());
    assert!(user.extra.remove("c").is_some());
    assert!(user.extra.remove("c").is_none());
    // A field of the type's own, and its tag, are not to be written over from here.
    user.extra.insert("type", claw_types::Json::null());
    user.extra.insert("message", claw_types::Json::null());
    assert_eq!(
        serde_json::to_value(&user).unwrap(),
        serde_json::json!({"type":"user","message":{"role":"user","content":"x","a":1},"parent_tool_use_id":null,"b":null})
    );
}
