use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn a_report() {
    let input = SendFeedbackInput::new(FeedbackType::Bug, "It fails", "**Repro:** run it")
        .area("hooks")
        .failure_mode(FeedbackFailureMode::StoppingShort)
        .task_category(FeedbackTaskCategory::CodeEdit);
    holds(
        &input,
        &json!({
            "type": "bug", "title": "It fails", "details": "**Repro:** run it", "area": "hooks",
            "failure_mode": "stopping_short", "task_category": "code_edit"
        }),
        &[],
    );
    holds(
        &SendFeedbackOutput::new(true, "Sent"),
        &json!({"success": true, "message": "Sent"}),
        &[],
    );
}
