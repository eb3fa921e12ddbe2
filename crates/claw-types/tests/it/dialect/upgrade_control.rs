//! What control frames and a wrapper's own messages become.

use claw_types::StdinMessage;
use claw_types::control::{ControlResponseBody, PermissionResult};
use claw_types::dialect::Today;
use serde_json::json;

use super::documents::example;
use super::{REFERENCE, SPECIFICATION, becomes, becomes_stdin, fill, upgrade};

#[test]
fn questions_get_their_inner_object() {
    becomes_stdin(
        REFERENCE,
        "wire_initialize",
        &json!({"type": "control_request", "request_id": "req_001",
            "request": {"subtype": "initialize", "can_use_tool": true}}),
    );
    becomes(
        REFERENCE,
        "wire_can_use_tool",
        &[json!({"type": "control_request", "request_id": "req_002",
            "request": {"subtype": "can_use_tool", "tool_name": "Bash",
                "input": {"command": "rm -rf /"}, "tool_use_id": "toolu_fill"}})],
    );
    becomes_stdin(
        REFERENCE,
        "control_request_interrupt",
        &json!({"type": "control_request", "request_id": "req_003",
            "request": {"subtype": "interrupt"}}),
    );
}

#[test]
fn a_question_goes_to_whom_its_subtype_says() {
    for (question, to_claude) in [
        (r#""subtype":"set_permission_mode","mode":"plan""#, true),
        (r#""subtype":"mcp_status""#, true),
        (
            r#""subtype":"mcp_message","server_name":"m","message":{}"#,
            false,
        ),
        (r#""subtype":"of_tomorrow""#, false),
    ] {
        let line = format!(r#"{{"type":"control_request","request_id":"r",{question}}}"#);
        let today = upgrade(&line, &fill()).unwrap();
        assert_eq!(matches!(today, Today::Stdin(_)), to_claude, "{line}");
    }
}

#[test]
fn answers_get_their_inner_object() {
    becomes(
        REFERENCE,
        "wire_initialize_response",
        &[json!({"type": "control_response",
            "response": {"subtype": "success", "request_id": "req_001"}})],
    );
    becomes(
        REFERENCE,
        "control_response_payload",
        &[json!({"type": "control_response",
            "response": {"subtype": "success", "request_id": "req_001", "response": {"commands": []}}})],
    );
    becomes(
        REFERENCE,
        "control_response_error",
        &[json!({"type": "control_response",
            "response": {"subtype": "error", "request_id": "req_003", "error": "no such session"}})],
    );
}

#[test]
fn permissions_are_allowed_and_denied() {
    becomes_stdin(
        REFERENCE,
        "wire_deny",
        &json!({"type": "control_response",
            "response": {"subtype": "success", "request_id": "req_002",
                "response": {"behavior": "deny", "message": "Dangerous command blocked"}}}),
    );
    becomes_stdin(
        REFERENCE,
        "control_response_allow",
        &json!({"type": "control_response",
            "response": {"subtype": "success", "request_id": "req_002",
                "response": {"behavior": "allow"}}}),
    );
    let line =
        r#"{"type":"control_response","request_id":"r","subtype":"success","allowed":false}"#;
    let Today::Stdin(StdinMessage::ControlResponse(answer)) = upgrade(line, &fill()).unwrap()
    else {
        panic!();
    };
    let ControlResponseBody::Success(success) = answer.response else {
        panic!();
    };
    let PermissionResult::Deny(deny) = success.response.unwrap().parse().unwrap() else {
        panic!();
    };
    assert_eq!(deny.message, "");
}

/// What has no room today because something else stands there is not lost.
#[test]
fn what_is_said_twice_is_kept() {
    let line = r#"{"type":"control_response","request_id":"r","subtype":"success","allowed":false,
        "reason":"a","message":"b"}"#;
    assert_eq!(
        serde_json::to_value(upgrade(line, &fill()).unwrap()).unwrap()["response"]["response"],
        json!({"behavior": "deny", "message": "b", "reason": "a"})
    );
    let line = r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[],
        "permissionMode":"plan","permission_mode":"accept_edits","apiKeySource":"user",
        "api_key_source":"org"}"#;
    let init = serde_json::to_value(upgrade(line, &fill()).unwrap()).unwrap();
    assert_eq!(
        (&init["permissionMode"], &init["permission_mode"]),
        (&json!("plan"), &json!("acceptEdits"))
    );
    assert_eq!(
        (&init["apiKeySource"], &init["api_key_source"]),
        (&json!("user"), &json!("org"))
    );
}

#[test]
fn a_message_for_a_server_is_a_question() {
    becomes(
        REFERENCE,
        "mcp_message",
        &[json!({"type": "control_request", "request_id": "req_fill",
            "request": {"subtype": "mcp_message", "server_name": "calculator",
                "message": {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}}})],
    );
    let error = upgrade(&example(REFERENCE, "mcp_message_opaque").value(), &fill()).unwrap_err();
    assert!(error.is_no_counterpart());
}

#[test]
fn a_rate_limit_of_todays_form_is_whole_again() {
    becomes(
        REFERENCE,
        "rate_limit_event",
        &[json!({"type": "rate_limit_event",
            "rate_limit_info": {"status": "allowed_warning", "resetsAt": 1_766_373_600},
            "uuid": "fill-uuid", "session_id": "fill-session"})],
    );
    let error = upgrade(
        &example(REFERENCE, "rate_limit_event_opaque").value(),
        &fill(),
    )
    .unwrap_err();
    assert!(error.is_no_counterpart());
}

#[test]
fn what_a_wrapper_says_has_no_counterpart() {
    let lines = example(SPECIFICATION, "wrapper_translation").values();
    for (line, form) in lines.iter().zip(["claude_response", "progress_update"]) {
        let error = upgrade(line, &fill()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{form}` has no counterpart today: a wrapper says it to its own client")
        );
    }
}
