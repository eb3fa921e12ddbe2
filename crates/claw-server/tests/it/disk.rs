//! Settings of live sessions.

use claw_testkit::agent::Script;
use serde_json::json;

use crate::client::Running;

#[tokio::test]
async fn a_mode_that_a_project_does_not_have_is_refused_in_a_live_session_too() {
    let running = Running::start(Script::says("Hi.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/settings");
    let bypass = running
        .ask("POST", &path, &json!({"mode": "bypassPermissions"}))
        .await;
    assert_eq!(bypass.status, 400, "{}", bypass.body);
    let plan = running
        .ask("POST", &path, &json!({"mode": "plan", "model": "other"}))
        .await;
    assert_eq!(plan.status, 200, "{}", plan.body);
    assert_eq!(plan.json()["state"]["mode"], "plan");
    assert_eq!(plan.json()["state"]["model"], "other");
    running.end().await;
}
