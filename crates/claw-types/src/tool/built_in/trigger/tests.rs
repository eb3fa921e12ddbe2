use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn a_trigger() {
    let input = RemoteTriggerInput::new(RemoteTriggerAction::CreateWebhookTrigger)
        .trigger_id("t1")
        .session_id("cse_1")
        .cursor("c2")
        .body(json!({"name": "nightly"}));
    holds(
        &input,
        &json!({
            "action": "create_webhook_trigger", "trigger_id": "t1", "session_id": "cse_1",
            "cursor": "c2", "body": {"name": "nightly"}
        }),
        &["body"],
    );
    holds(
        &RemoteTriggerOutput::new(200, "{}").summary("made"),
        &json!({"status": 200, "json": "{}", "summary": "made"}),
        &[],
    );
}
