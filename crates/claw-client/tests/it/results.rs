//! What a result says, whatever its subtype.

use std::time::Duration;

use claw_client::TurnResult;
use claw_client::types::message::TerminalReason;
use serde_json::{Value, json};

fn result(subtype: &str, more: &Value) -> TurnResult {
    let mut line = json!({
        "type": "result", "subtype": subtype, "duration_ms": 1500, "duration_api_ms": 900.5,
        "is_error": subtype != "success", "num_turns": 3, "stop_reason": null,
        "total_cost_usd": 0.25, "usage": {"input_tokens": 7, "output_tokens": 11},
        "modelUsage": {"opus": {"inputTokens": 7, "outputTokens": 11, "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.25,
            "contextWindow": 200_000}},
        "permission_denials": [{"tool_name": "Bash", "tool_use_id": "t", "tool_input": {}}],
        "terminal_reason": "completed", "uuid": "u", "session_id": "s",
    });
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    let message: claw_client::Message = serde_json::from_value(line).unwrap();
    message.try_into().unwrap()
}

#[test]
fn cost_usage_turns_times_and_denials_are_there_whatever_the_subtype() {
    let success = result(
        "success",
        &json!({"result": "four", "structured_output": {"sum": 4}}),
    );
    let error = result("error_max_turns", &json!({"errors": ["enough"]}));
    for result in [&success, &error] {
        assert!((result.total_cost_usd() - 0.25).abs() < 1e-9);
        assert_eq!(result.usage().output_tokens.get(), 11);
        assert_eq!(result.model_usage().get("opus").unwrap().input_tokens, 7);
        assert_eq!(result.num_turns(), 3);
        assert_eq!(result.duration(), Duration::from_millis(1500));
        assert_eq!(result.api_duration(), Duration::from_micros(900_500));
        assert_eq!(result.permission_denials()[0].tool_name, "Bash");
        assert_eq!(result.terminal_reason(), Some(&TerminalReason::Completed));
        assert_eq!(result.session_id().as_str(), "s");
        assert!(!result.interrupted());
    }
    assert_eq!(
        success.structured_output().unwrap().as_raw(),
        r#"{"sum":4}"#
    );
    assert_eq!(error.structured_output(), None);
    assert_eq!(success.answer().unwrap(), "four");
    let failed = error.answer().unwrap_err();
    assert!(failed.is_turn_failed(), "{failed}");
    assert_eq!(failed.turn_result().unwrap().text(), "enough");
}

#[test]
fn an_account_of_a_failure_is_no_answer() {
    let failure = result(
        "success",
        &json!({"result": "API Error: 500", "is_error": true}),
    );
    assert!(failure.answer().is_err_and(|error| error.is_turn_failed()));
}

#[test]
fn a_time_that_is_none_is_nothing() {
    let odd = result("success", &json!({"result": "", "duration_ms": -1}));
    assert_eq!(odd.duration(), Duration::ZERO);
}
