use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn an_operation() {
    holds(
        &ClaudeDesignInput::new("get", json!({"id": 1})),
        &json!({"operation": "get", "arguments": {"id": 1}}),
        &["arguments"],
    );
    let output =
        ClaudeDesignOutput::new("get", vec![json!({"type": "text"}).into()]).is_error(true);
    holds(
        &output,
        &json!({"operation": "get", "content": [{"type": "text"}], "isError": true}),
        &["content["],
    );
}
