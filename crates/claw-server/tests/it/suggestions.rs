//! Changes of the permissions that the CLI suggests, within what the project allows.

use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::Running;

/// The request, and the CLI's suggestions with it.
async fn asked(mode: &str, suggestions: Value) -> (Running, String, Value) {
    let request = json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "permission_suggestions": suggestions});
    let script = Script::new([Step::Turns(vec![Step::request("can_use_tool", request)])]);
    let mode = mode.to_owned();
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    let running = Running::start_in(script, folder, |builder| {
        let project = claw_server::Project::new(&shop).unwrap();
        builder.project(project.name("moded").mode(mode.as_str()))
    })
    .await;
    let new = running
        .ask("POST", "/api/sessions", &json!({"project": "moded"}))
        .await;
    let session = new.json()["id"].as_str().unwrap().to_owned();
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "List").await;
    let request = events.until("request", |_| true).await;
    let request = request.last().unwrap().data.clone();
    (running, session, request)
}

/// The changes that an answer brings to the CLI, or the status of its refusal.
async fn applied(running: &Running, session: &str, request: &Value, answer: Value) -> Value {
    let id = request["id"].as_str().unwrap();
    let path = format!("/api/sessions/{session}/requests/{id}");
    let response = running.ask("POST", &path, &answer).await;
    if response.status != 200 {
        return json!(response.status);
    }
    crate::client::soon(async {
        loop {
            let received = running.agent.received();
            let mut answers = received
                .iter()
                .filter(|line| line["type"] == "control_response");
            if let Some(answer) =
                answers.find(|line| line["response"]["response"]["behavior"] == "allow")
            {
                return answer["response"]["response"]["updatedPermissions"].clone();
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

fn mode(mode: &str) -> Value {
    json!({"type": "setMode", "mode": mode, "destination": "session"})
}

#[tokio::test]
async fn a_suggested_mode_that_the_project_does_not_allow_is_never_offered_nor_applied() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}],
        "behavior": "allow", "destination": "session"});
    let all = json!([mode("bypassPermissions"), mode("madeUp"), rule, {"type": "newKind"}]);
    for decision in ["allowForSession", "allowAlways"] {
        let (running, session, request) = asked("default", all.clone()).await;
        assert_eq!(request["suggestions"], json!([rule]));
        let hidden = json!({"decision": decision, "suggestions": [1]});
        assert_eq!(applied(&running, &session, &request, hidden).await, 400);
        let answer = json!({"decision": decision});
        assert_eq!(
            applied(&running, &session, &request, answer).await,
            json!([rule])
        );
        running.end().await;
    }
    let (running, session, request) = asked("default", json!([mode("bypassPermissions")])).await;
    assert_eq!(request["mayAlways"], false);
    for decision in ["allowForSession", "allowAlways"] {
        let answer = json!({"decision": decision});
        assert_eq!(applied(&running, &session, &request, answer).await, 400);
    }
    let allow = json!({"decision": "allow"});
    applied(&running, &session, &request, allow).await;
    running.end().await;
}

#[tokio::test]
async fn modes_that_the_project_allows_may_be_suggested() {
    let own = json!([mode("acceptEdits"), mode("plan")]);
    let (running, session, request) = asked("acceptEdits", own.clone()).await;
    assert_eq!(request["suggestions"], own);
    let answer = json!({"decision": "allowForSession"});
    assert_eq!(applied(&running, &session, &request, answer).await, own);
    running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn suggested_directories_are_only_those_in_the_project() {
    let directories = |directories: Value| json!({"type": "addDirectories", "directories": directories, "destination": "session"});
    let elsewhere = tempfile::tempdir().unwrap();
    let own = elsewhere.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let all = json!([
        directories(json!(["/etc"])),
        directories(json!(["/"])),
        directories(json!([".."])),
        directories(json!(["in/../../other"])),
        directories(json!([own])),
        directories(json!(["/nowhere-at-all"])),
        directories(json!(["."])),
        directories(json!([".", "/etc"])),
    ]);
    let (running, session, request) = asked("default", all).await;
    assert_eq!(request["suggestions"], json!([directories(json!(["."]))]));
    let allow = json!({"decision": "allow"});
    applied(&running, &session, &request, allow).await;
    running.end().await;
}
