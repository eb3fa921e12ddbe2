//! What results become, field by field.

use claw_types::Message;
use claw_types::message::ResultErrorSubtype;
use serde_json::{Value, json};

use super::documents::example;
use super::{REFERENCE, SCHEMA, SPECIFICATION, becomes, fill, upgrade};

/// A result: what the line says, and nothing of the rest.
fn result(said: &Value) -> Value {
    let mut line = json!({
        "type": "result", "duration_ms": 0, "duration_api_ms": 0, "num_turns": 0,
        "total_cost_usd": 0, "usage": {"input_tokens": 0, "output_tokens": 0}, "stop_reason": null,
        "modelUsage": {}, "permission_denials": [], "uuid": "fill-uuid",
        "session_id": "fill-session"
    });
    for (key, value) in said.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

#[test]
fn successes() {
    becomes(
        REFERENCE,
        "success",
        &[result(&json!({
            "subtype": "success", "result": "Task completed successfully", "is_error": false,
            "duration_ms": 1500, "num_turns": 3, "session_id": "sess_abc123",
            "total_cost_usd": 0.025, "usage": {"input_tokens": 1200, "output_tokens": 350}
        }))],
    );
    becomes(
        REFERENCE,
        "success_minimal",
        &[result(
            &json!({"subtype": "success", "result": "Done.", "is_error": false}),
        )],
    );
    becomes(
        SPECIFICATION,
        "result_success",
        &[result(&json!({
            "subtype": "success", "duration_ms": 1234.5, "duration_api_ms": 1000.25,
            "is_error": false, "num_turns": 3, "result": "All tests pass.",
            "session_id": "sess_123", "total_cost_usd": 0.25
        }))],
    );
    becomes(
        SCHEMA,
        "result_success",
        &[result(&json!({
            "subtype": "success", "is_error": false, "duration_ms": 3218, "duration_api_ms": 3100,
            "num_turns": 1, "result": "Done.", "session_id": "abc-123", "total_cost_usd": 0.0137,
            "usage": {"input_tokens": 4, "cache_creation_input_tokens": 12,
                "cache_read_input_tokens": 300, "output_tokens": 25,
                "server_tool_use": {"web_search_requests": 2}}
        }))],
    );
}

#[test]
fn errors_of_one_text() {
    for name in ["error", "wire_error_result"] {
        becomes(
            REFERENCE,
            name,
            &[result(&json!({
                "subtype": "error_during_execution", "is_error": true,
                "errors": ["Failed to execute command: permission denied"],
                "error_code": "EACCES", "exit_code": 126
            }))],
        );
    }
    let line = example(REFERENCE, "error").value();
    let today = upgrade(&line, &fill()).unwrap();
    let Some(Message::ResultError(error)) = today.message() else {
        panic!();
    };
    assert_eq!(error.subtype, ResultErrorSubtype::ErrorDuringExecution);
    assert_eq!(error.extra.get("exit_code").unwrap().as_raw(), "126");
}

/// The document lets any field stand beside `error`.
#[test]
fn codes_are_of_any_shape() {
    let line =
        r#"{"type":"result","subtype":"error","error":"A","error_code":13,"exit_code":"126"}"#;
    assert_eq!(
        serde_json::to_value(upgrade(line, &fill()).unwrap()).unwrap(),
        result(&json!({
            "subtype": "error_during_execution", "is_error": true, "errors": ["A"],
            "error_code": 13, "exit_code": "126"
        }))
    );
}

#[test]
fn all_that_was_said_is_among_the_errors() {
    let line = r#"{"type":"result","subtype":"error","error":"A","result":"B","errors":["C"]}"#;
    assert_eq!(
        serde_json::to_value(upgrade(line, &fill()).unwrap()).unwrap(),
        result(&json!({
            "subtype": "error_during_execution", "is_error": true, "errors": ["A", "B", "C"]
        }))
    );
}

#[test]
fn errors_with_a_result() {
    becomes(
        SCHEMA,
        "result_error",
        &[result(&json!({
            "subtype": "error_during_execution", "is_error": true, "errors": ["Something broke."],
            "duration_ms": 12, "session_id": "abc-123", "total_cost_usd": 0.0,
            "usage": {"input_tokens": 0, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0, "output_tokens": 0,
                "server_tool_use": {"web_search_requests": 0}}
        }))],
    );
}

#[test]
fn errors_that_say_only_which() {
    becomes(
        SPECIFICATION,
        "result_error_max_turns",
        &[result(&json!({
            "subtype": "error_max_turns", "duration_ms": 1234.5, "duration_api_ms": 1000.25,
            "is_error": true, "num_turns": 3, "session_id": "sess_123", "total_cost_usd": 0.25,
            "errors": []
        }))],
    );
    becomes(
        SPECIFICATION,
        "result_error_during_execution",
        &[result(&json!({
            "subtype": "error_during_execution", "duration_ms": 5.0, "duration_api_ms": 0.0,
            "is_error": true, "num_turns": 0, "session_id": "sess_123", "total_cost_usd": 0.0,
            "errors": []
        }))],
    );
}

#[test]
fn waiting_for_the_user_has_no_counterpart() {
    for name in ["input_required", "wire_input_required"] {
        let error = upgrade(&example(REFERENCE, name).value(), &fill()).unwrap_err();
        assert!(error.is_no_counterpart());
        assert_eq!(
            error.to_string(),
            "`result/input_required` has no counterpart today: a turn that ends has an answer or an \
             error; questions are control requests"
        );
    }
}
