//! Clients of version 2, with the real CLI and the scripted Messages API.

use claw_testkit::api::Api;
use serde_json::{Value, json};

use super::{idle, kinds, states};
use crate::editor::{Editor, prompt, soon};
use crate::real_cli::{agent, begin, scenario};

async fn editor(
    api: &Api,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Editor {
    let (agent, unused, folder) = agent(api);
    Editor::second(agent, unused, folder, person).await
}

#[tokio::test]
async fn a_session_that_is_resumed_shows_the_same_messages_under_the_same_ids() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "Hello").await.unwrap();
    idle(&editor, 1).await;
    assert_eq!(states(&editor), ["running", "idle end_turn"]);
    let live = editor.updates();
    let text = editor.text();
    let id = |updates: &[Value], kinds: &[&str]| {
        let is_it = |it: &&Value| kinds.iter().any(|kind| it["sessionUpdate"] == *kind);
        updates.iter().find(is_it).unwrap()["messageId"].clone()
    };
    let close = json!({"sessionId": session});
    editor.ask("session/close", close).await.unwrap();
    let before = editor.lines().len();
    let work = editor.folder.path().join("work");
    let params = json!({"sessionId": session, "cwd": work, "replayFrom": {"type": "start"}});
    let resumed = editor.ask("session/resume", params).await.unwrap();
    assert!(resumed["configOptions"].is_array() && resumed["availableCommands"].is_array());
    let later = editor.lines().split_off(before);
    let answer = later.iter().position(|line| line.get("method").is_none());
    let replayed: Vec<_> = later[..answer.unwrap()]
        .iter()
        .map(|line| line["params"]["update"].clone())
        .collect();
    // The title and the state come last, and before the answer.
    let expected = [
        "user_message",
        "agent_message",
        "session_info_update",
        "state_update",
    ];
    assert_eq!(kinds(&replayed), expected);
    assert_eq!(replayed[1]["content"][0]["text"], text);
    assert_eq!(replayed[3]["state"], "idle");
    for kinds in [
        ["user_message", "user_message_chunk"],
        ["agent_message", "agent_message_chunk"],
    ] {
        assert_eq!(id(&live, &kinds), id(&replayed, &kinds));
    }
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_session_that_is_resumed_without_its_messages_has_its_state() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "Hello").await.unwrap();
    idle(&editor, 1).await;
    let work = editor.folder.path().join("work");
    let params = json!({"sessionId": session, "cwd": work});
    editor.ask("session/resume", params).await.unwrap();
    assert_eq!(states(&editor), ["running", "idle end_turn", "idle"]);
    let listed = editor
        .ask("session/list", json!({"cwd": work}))
        .await
        .unwrap();
    assert_eq!(listed["sessions"][0]["sessionId"], session);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_permission_is_asked_and_the_command_runs() {
    let api = Api::start(scenario("bash")).await.unwrap();
    let editor = editor(&api, |method, params| {
        assert_eq!(method, "session/request_permission");
        let options = params["options"].as_array().unwrap();
        let allow = options.iter().find(|it| it["kind"] == "allow_once");
        let allow = &allow.unwrap()["optionId"];
        Some(json!({"outcome": {"outcome": "selected", "optionId": allow}}))
    });
    let editor = editor.await;
    let session = begin(&editor).await;
    editor.prompt(&session, "Write hello.").await.unwrap();
    idle(&editor, 1).await;
    let expected = ["running", "requires_action", "running", "idle end_turn"];
    assert_eq!(states(&editor), expected);
    let updates = editor.updates();
    let mut calls = updates
        .iter()
        .filter(|it| it["sessionUpdate"] == "tool_call_update");
    assert_eq!(calls.next_back().unwrap()["status"], "completed");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_prompt_that_waits_is_answered_when_its_turn_comes() {
    let api = Api::start(scenario("slow")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "One.").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    let second = editor
        .send("session/prompt", prompt(&session, "Two."))
        .await;
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    editor.answer(second).await.unwrap();
    idle(&editor, 2).await;
    let expected = ["running", "idle end_turn", "running", "idle end_turn"];
    assert_eq!(states(&editor), expected);
    let updates = editor.updates();
    let first_idle = updates.iter().position(|it| it["state"] == "idle");
    let inserted = updates
        .iter()
        .rposition(|it| it["sessionUpdate"] == "user_message");
    assert!(first_idle < inserted);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_cancel_ends_the_work_and_the_prompt_that_waits() {
    let api = Api::start(scenario("slow")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "One.").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    let second = editor
        .send("session/prompt", prompt(&session, "Two."))
        .await;
    // The answer to a later request shows that the prompt has arrived.
    editor.ask("session/list", json!({})).await.unwrap();
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(editor.answer(second).await.unwrap_err()["code"], -32800);
    idle(&editor, 1).await;
    assert_eq!(states(&editor), ["running", "idle cancelled"]);
    let updates = editor.updates();
    let prompts = updates
        .iter()
        .filter(|it| it["sessionUpdate"] == "user_message");
    assert_eq!(prompts.count(), 1);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_prompt_that_waits_can_be_taken_back_alone() {
    let api = Api::start(scenario("slow")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "One.").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    let second = editor
        .send("session/prompt", prompt(&session, "Two."))
        .await;
    editor
        .notify("$/cancel_request", json!({"requestId": second}))
        .await;
    assert_eq!(editor.answer(second).await.unwrap_err()["code"], -32800);
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    idle(&editor, 1).await;
    assert_eq!(states(&editor), ["running", "idle end_turn"]);
    editor.leave().await.unwrap();
}
