//! The tag that the text suggests is a hint: a wrong one costs time, and nothing else.

use claw_types::{Message, StdoutMessage};

use crate::support::{message, seed, stdout};

#[test]
fn tags_inside_free_json_mislead_nobody() {
    let line = seed("assistant_text").replace(
        r#"{"type":"text","text":"#,
        r#"{"type":"tool_use","id":"t","name":"n","input":{"type":"result","subtype":"success","of":{"type":"system","subtype":"init"}}},{"type":"text","text":"#,
    );
    assert!(matches!(message(&line), Message::Assistant(_)), "{line}");
    let line = seed("result_hint_trap");
    let Message::ResultSuccess(result) = message(&line) else {
        panic!("{line}");
    };
    assert!(result.model_usage.get("\"type\":\"user\"").is_some());
}

#[test]
fn a_tag_of_another_kind_behind_the_own_misleads_nobody() {
    // The last tag of a known kind on the line is not its own.
    for inner in [
        "result",
        "assistant",
        "user",
        "stream_event",
        "control_request",
        // A line that does not fit these is no error, so nothing must be taken for one.
        "tombstone",
        "open_message_selector",
    ] {
        let line = format!(
            r#"{{"message":{{"role":"user","content":"x"}},"type":"user","parent_tool_use_id":null,"tool_use_result":{{"type":"{inner}","subtype":"success"}}}}"#
        );
        assert!(matches!(message(&line), Message::User(_)), "{line}");
        let line = format!(r#"{{"of":{{"type":"{inner}"}},"type":"keep_alive"}}"#);
        assert!(
            matches!(stdout(&line), StdoutMessage::KeepAlive(_)),
            "{line}"
        );
        let line = format!(r#"{{"of":{{"type":"{inner}"}},"type":"of_tomorrow"}}"#);
        assert!(stdout(&line).is_unknown(), "{line}");
    }
}

#[test]
fn a_nested_subtype_misleads_nobody() {
    let line = seed("system_init").replace(
        r#"{"auto":"/m/"}"#,
        r#"{"type":"result","subtype":"success"}"#,
    );
    assert!(matches!(message(&line), Message::SystemInit(_)), "{line}");
    let line = r#"{"of":{"subtype":"init"},"type":"system","subtype":"of_tomorrow"}"#;
    assert!(stdout(line).is_unknown());
    let line = r#"{"type":"system","of":{"subtype":"init"}}"#;
    assert!(stdout(line).is_unknown());
}

#[test]
fn a_stream_events_own_tag_counts() {
    for inner in ["message_stop", "ping", "error", "of_tomorrow"] {
        let line = seed("event_text_delta").replace(
            r#""text":"Using ""#,
            &format!(r#""text":"\"type\":\"{inner}\"","of":{{"type":"{inner}"}}"#),
        );
        let Message::StreamEvent(event) = message(&line) else {
            panic!("{line}");
        };
        assert!(event.text_delta().is_some(), "{line}");
    }
}

#[test]
fn tags_stand_anywhere_and_in_any_spelling() {
    for line in [
        r#"{"type":"keep_alive","a":1}"#,
        r#"{"a":1,"type":"keep_alive"}"#,
        r#"{"a":1,"type":"keep_alive","b":2}"#,
        r#"{ "a" : 1 , "type" : "keep_alive" }"#,
        r#"{"a":1,"typ\u0065":"keep\u005falive"}"#,
        "{\"a\":1,\n\"type\"\n:\n\"keep_alive\"}",
        "\t{\"a\":1,\"type\":\"keep_alive\"}\r",
    ] {
        assert!(
            matches!(stdout(line), StdoutMessage::KeepAlive(_)),
            "{line}"
        );
    }
}

#[test]
fn both_tags_of_a_system_message_stand_anywhere() {
    let init = seed("system_init");
    let body = init
        .strip_prefix(r#"{"type":"system","subtype":"init","#)
        .and_then(|body| body.strip_suffix('}'))
        .unwrap();
    for line in [
        format!(r#"{{"subtype":"init","type":"system",{body}}}"#),
        format!(r#"{{{body},"subtype":"init","type":"system"}}"#),
        format!(r#"{{"subtype":"init",{body},"type":"system"}}"#),
        format!(r#"{{ "type":"system",{body},"subtype" : "init"}}"#),
    ] {
        assert!(matches!(message(&line), Message::SystemInit(_)), "{line}");
        assert!(!stdout(&line).is_unknown(), "{line}");
    }
}
