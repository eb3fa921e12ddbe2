//! The real CLI, against the scripted Messages API.

use claw_acp::Agent;
use claw_testkit::agent::{Agent as Scripted, Script};
use claw_testkit::api::{Api, Scenario, scenarios};
use claw_types::{Map, QueryOptions};
use serde_json::{Value, json};

use crate::editor::{Editor, everything, prompt, soon};

async fn editor(
    api: &Api,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Editor {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(folder.path().join("work")).unwrap();
    let mut env = Map::default();
    for (name, value) in api.env() {
        env.insert(name, Some(value));
    }
    env.insert("HOME", Some(home.display().to_string()));
    let options = QueryOptions::default()
        .env(env)
        .path_to_claude_code_executable(claw_testkit::claude().unwrap());
    let sessions = claw_sessions::Sessions::new(home.join(".claude"));
    let agent = Agent::new(options).sessions(sessions);
    let unused = Scripted::new(Script::says("unused"));
    Editor::of(agent, unused, folder, everything(), person).await
}

async fn begin(editor: &Editor) -> String {
    editor.begin_in(&editor.folder.path().join("work")).await
}

fn scenario(name: &str) -> Scenario {
    scenarios::by_name(name).unwrap()
}

#[tokio::test]
async fn a_prompt_is_answered_and_the_session_loads_again() {
    let api = Api::start(scenario("text")).await.unwrap();
    let first = editor(&api, |_, _| None).await;
    let session = begin(&first).await;
    let answer = first.prompt(&session, "Hello").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
    let said = first.text();
    assert!(!said.is_empty());
    let work = first.folder.path().join("work");
    first
        .ask("session/close", json!({"sessionId": session}))
        .await
        .unwrap();
    let before = first.updates().len();
    let params = json!({"sessionId": session, "cwd": work, "mcpServers": []});
    let loaded = first.ask("session/load", params).await.unwrap();
    assert!(loaded["modes"]["currentModeId"].is_string());
    let replayed = first.updates().split_off(before);
    let kinds: Vec<_> = replayed
        .iter()
        .map(|it| it["sessionUpdate"].clone())
        .collect();
    assert_eq!(kinds, ["user_message_chunk", "agent_message_chunk"]);
    assert_eq!(replayed[1]["content"]["text"], said);
    first.leave().await.unwrap();
}

#[tokio::test]
async fn a_permission_is_asked_and_the_command_runs() {
    let api = Api::start(scenario("bash")).await.unwrap();
    let editor = editor(&api, |method, params| {
        assert_eq!(method, "session/request_permission");
        let options = params["options"].as_array().unwrap();
        let allow = options
            .iter()
            .find(|it| it["kind"] == "allow_once")
            .unwrap();
        Some(json!({"outcome": {"outcome": "selected", "optionId": allow["optionId"]}}))
    });
    let editor = editor.await;
    let session = begin(&editor).await;
    let answer = editor.prompt(&session, "Write hello.").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
    let updates = editor.updates();
    let call = updates
        .iter()
        .find(|it| it["sessionUpdate"] == "tool_call")
        .unwrap();
    let ended = updates
        .iter()
        .rfind(|it| it["toolCallId"] == call["toolCallId"])
        .unwrap();
    assert_eq!(ended["status"], "completed");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_prompt_that_waits_is_taken_back_and_the_turn_before_it_goes_on() {
    let api = Api::start(scenario("slow")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    let first = editor
        .send("session/prompt", prompt(&session, "One."))
        .await;
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    let second = editor
        .send("session/prompt", prompt(&session, "Two."))
        .await;
    editor
        .notify("$/cancel_request", json!({"requestId": second}))
        .await;
    let taken_back = editor.answer(second).await.unwrap();
    assert_eq!(taken_back["stopReason"], "cancelled");
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    let answer = editor.answer(first).await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_title_is_that_of_the_conversation_that_clear_began() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    for text in ["The first prompt", "/clear", "The second prompt"] {
        editor.prompt(&session, text).await.unwrap();
    }
    let is_title = |title: &'static str| {
        move |line: &serde_json::Value| {
            let update = &line["params"]["update"];
            update["sessionUpdate"] == "session_info_update" && update["title"] == title
        }
    };
    for title in ["The first prompt", "The second prompt"] {
        let line = editor.wait(is_title(title)).await;
        assert_eq!(line["params"]["sessionId"], session);
    }
    editor.leave().await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_agent_that_is_dropped_leaves_no_process() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    begin(&editor).await;
    let home = format!("HOME={}", editor.folder.path().join("home").display());
    assert!(has_process(&home));
    editor.drop_agent().await;
    let ended = async {
        while has_process(&home) {
            tokio::task::yield_now().await;
        }
    };
    soon(ended).await;
}

/// Whether a process has this in its environment.
#[cfg(target_os = "linux")]
fn has_process(variable: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let environments = processes.map(|process| std::fs::read(process.path().join("environ")));
    environments.flatten().any(|environment| {
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|it| it == variable.as_bytes())
    })
}
