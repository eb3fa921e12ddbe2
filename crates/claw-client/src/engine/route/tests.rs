use bytes::Bytes;

use super::*;

fn line(text: &str) -> LineItem {
    LineItem::Line(Line::new(1, Bytes::copy_from_slice(text.as_bytes())))
}

fn of(text: &str) -> Route {
    route(&line(text), false)
}

fn id(text: &str) -> RequestId {
    text.into()
}

#[test]
fn control_lines_however_they_are_written() {
    for text in [
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"x"}}"#,
        r#"{ "request" : { "request_id" : "no" } , "request_id" : "r" , "type" : "control_request" }"#,
        r#"{"ty\u0070e":"contro\u006c_request","request_id":"\u0072"}"#,
        r#"{"n":1,"type":"user","type":"control_request","request_id":"r"}"#,
        r#"{"type":"control_request","request_id":"r","cut"#,
    ] {
        assert_eq!(of(text), Route::Request { id: Some(id("r")) }, "{text}");
    }
    for text in [
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r"}}"#,
        r#"{"response":{"response":{"request_id":"no"},"request_id":"r"},"type":"control_response"}"#,
        r#"{"type":"control_response","response":{"request_id":"r","response":{"cut"#,
    ] {
        assert_eq!(of(text), Route::Response { id: Some(id("r")) }, "{text}");
    }
    let cancel = r#"{"type":"control_cancel_request","request_id":"r"}"#;
    assert_eq!(of(cancel), Route::Cancel(Some(id("r"))));
    assert_eq!(
        of(r#"{"type":"keep_alive","startup_mark":"x"}"#),
        Route::KeepAlive
    );
}

#[test]
fn talk_is_plain() {
    for text in [
        r#"{"type":"assistant","message":{"content":[{"input":{"type":"result"}}]}}"#,
        r#"{"type":"assistant","text":"{\"type\":\"control_request\"}"}"#,
        r#"{"message":{"type":"result"},"type":"user"}"#,
        r#"{"type":"user","tool_use_result":{"type":"keep_alive","sdk_host_only":true}}"#,
        "sdk_host_only control_ \"result\"",
        "",
        "[\"control_request\"]",
        r#"{"type":7,"x":"control_"}"#,
        // If a line has two types, the first one is decisive.
        r#"{"type":"user","type":"control_request","request_id":"r"}"#,
    ] {
        assert_eq!(of(text), Route::Plain, "{text}");
    }
}

#[test]
fn what_the_session_does() {
    let state = r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#;
    assert_eq!(
        of(state),
        Route::State {
            state: "idle".into(),
            hidden: false
        }
    );
    let state = state.replace('}', r#","sdk_host_only":true}"#);
    assert_eq!(
        of(&state),
        Route::State {
            state: "idle".into(),
            hidden: true
        }
    );
    assert_eq!(of(r#"{"type":"new","sdk_host_only":true}"#), Route::Hidden);
    let lifecycle = r#"{"type":"command_lifecycle","command_uuid":"p","state":"queued"}"#;
    let expected = Route::Lifecycle {
        prompt: "p".into(),
        state: "queued".into(),
    };
    assert_eq!(of(lifecycle), expected);
    let init = r#"{"type":"system","subtype":"init","user_message_uuids":["a","b"]}"#;
    assert_eq!(of(init), Route::Init(vec!["a".into(), "b".into()]));
}

#[test]
fn results_name_their_prompts() {
    let names = Route::Result(vec!["a".into()]);
    assert_eq!(of(r#"{"user_message_uuid":"a","type":"result"}"#), names);
    assert_eq!(
        of(r#"{"user_message_uuid":"b","user_message_uuids":["a"],"type":"result"}"#),
        names
    );
    assert_eq!(
        of(r#"{"type":"result","user_message_uuids":7}"#),
        Route::Result(vec![])
    );
    assert_eq!(
        of(r#"{"type":"result","subtype":"cut"#),
        Route::Result(vec![])
    );
    assert_eq!(
        of("{\"type\":\"result\",\"text\":\"\u{1}\"}"),
        Route::Result(vec![])
    );
}

#[test]
fn bytes_that_are_no_text() {
    let raw = Bytes::from_static(b"{\"type\":\"result\",\"result\":\"\xff\"}");
    let item = LineItem::Line(Line::new(1, raw));
    assert_eq!(route(&item, false), Route::Result(vec![]));
}

#[test]
fn lines_that_are_too_long_are_known_by_their_ends() {
    let long = |head: &str, tail: &str| {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        LineItem::TooLong(TooLong::new(1, 1 << 40, 64, bytes(head), bytes(tail)))
    };
    let result = long(
        r#"{"duration_api_ms":1,"result":"xxxxx"#,
        r#"xxx","subtype":"success","type":"result","user_message_uuid":"a","n":1}"#,
    );
    assert_eq!(route(&result, false), Route::Result(vec!["a".into()]));
    let answer = long(
        r#"{"type":"control_response","response":{"request_id":"r","x":""#,
        "}}",
    );
    assert_eq!(route(&answer, false), Route::Response { id: Some(id("r")) });
    let request = long(
        r#"{"type":"control_request","request_id":"r","request":{"input":""#,
        "}}",
    );
    assert_eq!(route(&request, false), Route::Request { id: Some(id("r")) });
    let message = long(
        r#"{"type":"assistant","message":{"text":""#,
        r#""type":"result"}}"#,
    );
    assert_eq!(route(&message, false), Route::Plain);
}

#[test]
fn hooks_count_only_when_asked_for() {
    let begun = r#"{"type":"system","subtype":"hook_started","hook_id":"h","hook_name":"SessionStart:startup"}"#;
    let hook = |begun: Option<&str>| Route::Hook {
        id: "h".to_owned(),
        begun: begun.map(str::to_owned),
    };
    assert_eq!(of(begun), Route::Plain);
    assert_eq!(
        route(&line(begun), true),
        hook(Some("SessionStart:startup"))
    );
    let over = r#"{"type":"system","subtype":"hook_response","hook_id":"h"}"#;
    assert_eq!(route(&line(over), true), hook(None));
}
