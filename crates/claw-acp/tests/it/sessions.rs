//! Settings, lists, loads and ends of sessions.

use std::fs;
use std::path::Path;

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::editor::Editor;

pub(crate) const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Writes a stored session of this many turns.
pub(crate) fn store(home: &Path, work: &Path, turns: usize) {
    store_with(home, work, turns, "");
}

/// Likewise, with this text behind each message.
fn store_with(home: &Path, work: &Path, turns: usize, more: &str) {
    let folder = home.join("projects").join(claw_sessions::slug(work));
    fs::create_dir_all(&folder).unwrap();
    let mut text = String::new();
    let mut parent = Value::Null;
    for turn in 0..turns {
        for (kind, words) in [("user", "Question"), ("assistant", "Answer")] {
            let uuid = format!("{kind}-{turn}");
            let content = format!("{words} {turn}{more}");
            let message = if kind == "user" {
                json!({"role": "user", "content": content})
            } else {
                json!({"id": format!("msg_{turn}"), "type": "message", "role": "assistant",
                    "model": "m", "content": [{"type": "text", "text": content}],
                    "stop_reason": "end_turn", "stop_sequence": null,
                    "usage": {"input_tokens": 1, "output_tokens": 1}})
            };
            let line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "message": message,
                "sessionId": ID, "timestamp": "2026-11-24T12:00:00.000Z", "cwd": work,
                "isSidechain": false, "userType": "external", "version": "2.1.330"});
            text.push_str(&line.to_string());
            text.push('\n');
            parent = json!(uuid);
        }
    }
    fs::write(folder.join(format!("{ID}.jsonl")), text).unwrap();
}

#[tokio::test]
async fn initialize_says_what_the_agent_can_do() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
    let answer = editor.ask("initialize", params).await.unwrap();
    assert_eq!(answer["protocolVersion"], 1);
    assert_eq!(answer["agentCapabilities"]["loadSession"], true);
    assert_eq!(answer["agentInfo"]["name"], "claw");
}

#[tokio::test]
async fn a_login_is_offered_to_a_client_with_a_terminal_alone() {
    let first = |capabilities: Value| async move {
        let editor = Editor::with(Script::reply("Yes."), capabilities, |_, _| None).await;
        let lines = editor.lines();
        lines[0]["result"]["authMethods"].clone()
    };
    let methods = first(json!({"auth": {"terminal": true}})).await;
    assert_eq!(methods[0]["type"], "terminal");
    assert_eq!(methods[0]["args"], json!(["--login"]));
    assert_eq!(methods[0].get("_meta"), None);
    assert_eq!(first(json!({})).await, json!([]));
    let off = json!({"auth": {"terminal": false}, "_meta": {"terminal-auth": false}});
    assert_eq!(first(off).await, json!([]));
}

/// As clients did before `auth.terminal`, and as the registry of agents asks.
#[tokio::test]
async fn a_client_that_wants_a_command_for_the_login_gets_all_of_it() {
    let capabilities = json!({"terminal": true, "_meta": {"terminal-auth": true}});
    let editor = Editor::with(Script::reply("Yes."), capabilities, |_, _| None).await;
    let method = editor.lines()[0]["result"]["authMethods"][0].clone();
    assert_eq!(method["type"], "terminal");
    let login = &method["_meta"]["terminal-auth"];
    let own: Vec<_> = std::env::args().skip(1).collect();
    assert_eq!(login["command"], json!(std::env::current_exe().unwrap()));
    assert_eq!(
        login["args"],
        json!([own, vec!["--login".to_owned()]].concat())
    );
    assert_eq!(login["label"], method["name"]);
}

#[tokio::test]
async fn a_stored_session_is_listed_and_loaded_with_its_conversation() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store(editor.folder.path(), &work, 3);
    let list = editor
        .ask("session/list", json!({"cwd": work}))
        .await
        .unwrap();
    assert_eq!(list["sessions"][0]["sessionId"], ID);
    let params = json!({"sessionId": ID, "cwd": work, "mcpServers": []});
    editor.ask("session/load", params).await.unwrap();
    let texts: Vec<_> = editor
        .updates()
        .iter()
        .map(|it| {
            it["content"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    let all = [
        "Question 0",
        "Answer 0",
        "Question 1",
        "Answer 1",
        "Question 2",
        "Answer 2",
    ];
    assert_eq!(texts, all);
}

#[tokio::test]
async fn a_load_of_more_than_may_wait_for_the_client_arrives_whole() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store_with(editor.folder.path(), &work, 100, &"x".repeat(64 << 10));
    let params = json!({"sessionId": ID, "cwd": work, "mcpServers": []});
    editor.ask("session/load", params).await.unwrap();
    assert_eq!(editor.updates().len(), 200);
}

#[tokio::test]
async fn what_was_rewound_is_not_sent() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store(editor.folder.path(), &work, 3);
    let folder = editor.folder.path().join("projects");
    let file = folder
        .join(claw_sessions::slug(&work))
        .join(format!("{ID}.jsonl"));
    // The third question was asked again behind the first answer.
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace(
        r#""parentUuid":"assistant-1""#,
        r#""parentUuid":"assistant-0""#,
    );
    fs::write(&file, text).unwrap();
    let params = json!({"sessionId": ID, "cwd": work, "mcpServers": []});
    editor.ask("session/load", params).await.unwrap();
    let updates = editor.updates();
    let texts: Vec<_> = updates.iter().map(|it| &it["content"]["text"]).collect();
    assert_eq!(texts, ["Question 0", "Answer 0", "Question 2", "Answer 2"]);
}

#[tokio::test]
async fn many_loads_of_one_session_have_one_process() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store(editor.folder.path(), &work, 1);
    let params = json!({"sessionId": ID, "cwd": work, "mcpServers": []});
    let mut ids = Vec::new();
    for _ in 0..200 {
        ids.push(editor.send("session/load", params.clone()).await);
    }
    for id in ids {
        editor.answer(id).await.unwrap();
    }
    let received = editor.scripted.received();
    let starts = received
        .iter()
        .filter(|it| it["request"]["subtype"] == "initialize");
    assert_eq!(starts.count(), 1);
}

#[tokio::test]
async fn an_unknown_session_cannot_be_loaded() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let params = json!({"sessionId": ID, "cwd": editor.folder.path(), "mcpServers": []});
    let error = editor.ask("session/load", params).await.unwrap_err();
    assert_eq!(error["code"], -32002);
    assert!(error["message"].as_str().unwrap().contains(ID));
}

#[tokio::test]
async fn a_mode_that_does_not_exist_is_refused() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let session = editor.begin().await;
    let params = json!({"sessionId": session, "modeId": "nonsense"});
    let error = editor.ask("session/set_mode", params).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("nonsense"));
}

#[tokio::test]
async fn a_closed_session_takes_no_prompt_and_a_second_close_is_an_error() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let session = editor.begin().await;
    let params = json!({"sessionId": session});
    editor.ask("session/close", params.clone()).await.unwrap();
    assert!(editor.prompt(&session, "Hello?").await.is_err());
    assert!(editor.ask("session/close", params).await.is_err());
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_a_second_delete_is_no_error() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store(editor.folder.path(), &work, 1);
    for _ in 0..2 {
        editor
            .ask("session/delete", json!({"sessionId": ID}))
            .await
            .unwrap();
    }
    let list = editor
        .ask("session/list", json!({"cwd": work}))
        .await
        .unwrap();
    assert_eq!(list["sessions"], json!([]));
}

#[tokio::test]
async fn a_stored_session_is_titled_archived_and_forked() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let work = editor.folder.path().to_owned();
    store(editor.folder.path(), &work, 2);
    let id = json!({"sessionId": ID});
    let titled = json!({"sessionId": ID, "title": "Two questions"});
    let answer = editor.ask("session/set_title", titled).await.unwrap();
    assert_eq!(answer["title"], "Two questions");
    editor.ask("session/archive", id.clone()).await.unwrap();
    let sessions = claw_sessions::Sessions::new(editor.folder.path());
    let info = || sessions.find(ID).unwrap().info().unwrap().unwrap();
    assert_eq!(info().archived, Some(true));
    editor.ask("session/unarchive", id).await.unwrap();
    assert_ne!(info().archived, Some(true));
    assert_eq!(info().summary, "Two questions");

    let params = json!({"sessionId": ID, "cwd": work, "mcpServers": []});
    let fork = editor.ask("session/fork", params).await.unwrap();
    assert_ne!(fork["sessionId"], ID);
    let listed = editor.ask("session/list", json!({})).await.unwrap();
    let mut ids = listed["sessions"].as_array().unwrap().iter();
    assert!(ids.any(|it| it["sessionId"] == fork["sessionId"]));
    for method in ["session/archive", "session/fork"] {
        let params = json!({"sessionId": "unknown", "cwd": work, "mcpServers": []});
        editor.ask(method, params).await.unwrap_err();
    }
}
