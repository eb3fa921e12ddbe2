//! The real CLI, against the scripted Messages API.

use std::path::{Path, PathBuf};

use claw_acp::Agent;
use claw_sessions::Sessions;
use claw_testkit::agent::{Agent as Scripted, Script};
use claw_testkit::api::{Api, ApiRequest, Scenario, scenarios};
use claw_types::{Map, QueryOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::editor::{Editor, everything, prompt, soon};

pub(crate) async fn editor(
    api: &Api,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Editor {
    editor_that_can(api, everything(), person).await
}

pub(crate) async fn editor_that_can(
    api: &Api,
    capabilities: Value,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Editor {
    let (agent, unused, folder) = agent(api);
    Editor::of(agent, unused, folder, capabilities, person).await
}

/// An agent that runs the real CLI, a script that is not used, and the folder of the CLI.
pub(crate) fn agent(api: &Api) -> (Agent, Scripted, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent_in(api, &folder);
    (agent, Scripted::new(Script::reply("unused")), folder)
}

/// An agent that runs the real CLI, with a folder that may have something in it already.
fn agent_in(api: &Api, folder: &TempDir) -> Agent {
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
    Agent::new(options).sessions(Sessions::new(home.join(".claude")))
}

pub(crate) async fn begin(editor: &Editor) -> String {
    editor.begin_in(&editor.folder.path().join("work")).await
}

pub(crate) fn scenario(name: &str) -> Scenario {
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
async fn commands_that_need_a_terminal_are_not_offered() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    editor.prompt(&session, "Hello").await.unwrap();
    let lines = editor.lines();
    let updates = lines.iter().map(|line| &line["params"]["update"]);
    let mut lists = updates.filter_map(|update| update["availableCommands"].as_array());
    let last = lists.next_back().unwrap();
    let has = |name: &str| last.iter().any(|command| command["name"] == name);
    // `/color` changes the prompt bar of Claude Code's own screen.
    assert!(has("compact") && !has("color"), "{last:?}");
    editor.leave().await.unwrap();
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
        move |line: &Value| {
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

#[tokio::test]
async fn a_cancel_ends_the_turn_that_runs_and_the_prompt_that_waits() {
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
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    for id in [first, second] {
        assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
    }
    editor.leave().await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_is_killed_while_idle_is_replaced_by_the_next_prompt() {
    let api = Api::start(scenario("text")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    let home = format!("HOME={}", editor.folder.path().join("home").display());
    let mode = json!({"sessionId": session, "modeId": "plan"});
    editor.ask("session/set_mode", mode).await.unwrap();
    // Before the first prompt there is no transcript that another process could continue.
    for _ in 0..2 {
        kill(&home).await;
        let mut answer = editor.prompt(&session, "Hello").await;
        // The agent may not have noticed it yet. Then the prompt fails with the cause, and the next one does not.
        if let Err(error) = &answer {
            assert!(
                error["message"].as_str().unwrap().contains("SIGKILL"),
                "{error}"
            );
            answer = editor.prompt(&session, "Hello").await;
        }
        assert_eq!(answer.unwrap()["stopReason"], "end_turn");
    }
    assert_eq!(processes(&home).len(), 1);
    // A mode that the person has set stays set.
    let modes = editor.lines().into_iter();
    let modes: Vec<_> = modes
        .map(|line| line["params"]["update"]["currentModeId"].clone())
        .filter(Value::is_string)
        .collect();
    assert_eq!(modes, ["plan"]);
    editor.leave().await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_is_killed_in_a_turn_fails_the_prompt_and_the_next_one_is_answered() {
    let api = Api::start(scenario("slow")).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    let home = format!("HOME={}", editor.folder.path().join("home").display());
    let first = editor
        .send("session/prompt", prompt(&session, "One."))
        .await;
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    kill(&home).await;
    let error = editor.answer(first).await.unwrap_err();
    let text = error["message"].as_str().unwrap();
    assert!(text.contains("the turn has no result"), "{text}");
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    let answer = editor.prompt(&session, "Two.").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
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
    !processes(variable).is_empty()
}

/// The processes that have this in their environment.
#[cfg(target_os = "linux")]
fn processes(variable: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|it| it == variable.as_bytes())
    };
    pids.filter(has_it).collect()
}

/// Kills the processes that have this in their environment, and waits until they are gone.
#[cfg(target_os = "linux")]
async fn kill(variable: &str) {
    let found = processes(variable);
    assert!(!found.is_empty());
    for pid in &found {
        let mut kill = std::process::Command::new("kill");
        let killed = kill.args(["-9", &pid.to_string()]).status();
        assert!(killed.unwrap().success());
    }
    let gone = async {
        while found.iter().any(|pid| processes(variable).contains(pid)) {
            tokio::task::yield_now().await;
        }
    };
    soon(gone).await;
}

/// The IDs of the sessions in a configuration folder.
fn ids(config: &Path) -> Vec<String> {
    let all = Sessions::new(config).all().unwrap().sessions.into_iter();
    all.map(|session| session.id().as_str().to_owned())
        .collect()
}

#[tokio::test]
async fn a_session_of_the_second_folder_is_listed_loaded_and_continued_there() {
    let api = Api::start(scenario("text")).await.unwrap();
    // The agent of one folder begins the session.
    let (agent, unused, folder) = agent(&api);
    let (usual, other) = (
        folder.path().join("home/.claude"),
        folder.path().join("work-config"),
    );
    let home = folder.path().join("home");
    let of = |folders: &[&PathBuf]| {
        Sessions::of_config_dirs(folders.iter().copied(), |name| {
            (name == "HOME").then(|| home.clone().into())
        })
        .unwrap()
    };
    let alone = agent.sessions(of(&[&other]));
    let first = Editor::of(alone, unused, folder, everything(), |_, _| None).await;
    let session = begin(&first).await;
    first.prompt(&session, "Hello").await.unwrap();
    let said = first.text();
    let folder = first.leave_and_keep().await.unwrap();
    assert_eq!((ids(&usual).len(), ids(&other)), (0, vec![session.clone()]));

    let both = agent_in(&api, &folder).sessions(of(&[&usual, &other]));
    let unused = Scripted::new(Script::reply("unused"));
    let second = Editor::of(both, unused, folder, everything(), |_, _| None).await;
    let work = second.folder.path().join("work");
    let list = second
        .ask("session/list", json!({"cwd": work}))
        .await
        .unwrap();
    assert_eq!(list["sessions"][0]["sessionId"], session.as_str());
    let meta = &list["sessions"][0]["_meta"]["claudeCode"];
    assert_eq!(meta["configDir"], json!(other));
    let params = json!({"sessionId": session, "cwd": work, "mcpServers": []});
    second.ask("session/load", params.clone()).await.unwrap();
    assert!(second.text().contains(&said), "{}", second.text());
    second.prompt(&session, "And again").await.unwrap();
    let newest = api.requests().into_iter().rfind(ApiRequest::is_message);
    let asked = newest.unwrap().body["messages"].to_string();
    assert!(
        asked.contains("Hello") && asked.contains("And again"),
        "{asked}"
    );
    assert_eq!((ids(&usual).len(), ids(&other)), (0, vec![session.clone()]));
    // A new one belongs to the first folder.
    let new = begin(&second).await;
    second.prompt(&new, "Hello").await.unwrap();
    assert_eq!(
        (ids(&usual), ids(&other)),
        (vec![new], vec![session.clone()])
    );
    let close = json!({"sessionId": session});
    second.ask("session/close", close.clone()).await.unwrap();

    // With a copy in the first folder, it is of neither.
    let found = Sessions::new(&other).find(&session).unwrap();
    let project = found.transcript().parent().unwrap().file_name().unwrap();
    let copy = usual
        .join("projects")
        .join(project)
        .join(format!("{session}.jsonl"));
    std::fs::copy(found.transcript(), &copy).unwrap();
    let list = second
        .ask("session/list", json!({"cwd": work}))
        .await
        .unwrap();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 3, "{list}");
    for (method, params) in [
        ("session/load", &params),
        ("session/resume", &params),
        ("session/delete", &close),
    ] {
        let refused = second.ask(method, params.clone()).await.unwrap_err();
        assert_eq!(refused["code"], -32602, "{method}: {refused}");
        let message = refused["message"].as_str().unwrap();
        for config in [&usual, &other] {
            assert!(message.contains(config.to_str().unwrap()), "{message}");
        }
    }
    assert!(copy.exists() && found.transcript().exists());
    second.leave().await.unwrap();
}
