//! What acp-tck, the protocol's test kit, requires of an agent. The tests have the names of its requirements.
//!
//! Every line of the agent is checked against the protocol's schema in all tests, with the members that it may have:
//! ACP-TRANSPORT-001 and 002, ACP-JSONRPC-002, ACP-SCHEMA-001 and 002, ACP-PROMPT-002. ACP-STDERR-001 is a test of the
//! command `claw acp`.

use std::collections::HashSet;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};

use crate::editor::{Editor, everything, prompt};

/// The kinds of updates that carry the conversation.
const CONVERSATION: [&str; 3] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
];

/// A client that has offered nothing.
async fn bare(script: Script) -> Editor {
    Editor::with(script, json!({}), |_, _| None).await
}

fn says() -> Script {
    Script::reply("Yes.")
}

async fn begin(editor: &Editor) -> Value {
    let params = json!({"cwd": editor.folder.path(), "mcpServers": []});
    editor.ask("session/new", params).await.unwrap()
}

fn held() -> Script {
    let text = Block::text("Half of it.").hold(1, "held");
    Script::new([Step::Turns(vec![Step::message([text])])])
}

/// The number of lines until the answer to the request, with it.
fn until_answer(editor: &Editor, id: u64) -> usize {
    let is_answer = |line: &Value| line["id"] == id && line.get("method").is_none();
    1 + editor.lines().iter().position(is_answer).unwrap()
}

/// Answers to later requests show that nothing more was on its way.
async fn no_update_after(editor: &Editor, id: u64) {
    let end = until_answer(editor, id);
    // More than one, as a title is read from the disk, as a list is.
    for _ in 0..5 {
        editor.ask("session/list", json!({})).await.unwrap();
    }
    let later = editor.lines().split_off(end);
    let updates = later.iter().filter(|it| it["method"] == "session/update");
    assert_eq!(updates.count(), 0, "{later:?}");
}

#[tokio::test]
async fn acp_jsonrpc_001_an_id_comes_back_as_it_was() {
    let editor = bare(says()).await;
    editor
        .write(r#"{"jsonrpc":"2.0","id":"of letters","method":"session/list","params":{}}"#)
        .await;
    editor.wait(|line| line["id"] == "of letters").await;
    let id = editor.send("session/list", json!({})).await;
    editor.answer(id).await.unwrap();
}

#[tokio::test]
async fn acp_jsonrpc_003_a_notification_has_no_answer() {
    let editor = bare(says()).await;
    for method in ["session/cancel", "session/nonsense", "_nonsense"] {
        editor.notify(method, json!({"sessionId": "unknown"})).await;
    }
    editor.ask("session/list", json!({})).await.unwrap();
    // The answers to `initialize` and to the list.
    assert_eq!(editor.lines().len(), 2);
}

#[tokio::test]
async fn acp_jsonrpc_004_and_005_an_unknown_method_is_an_error_after_which_all_goes_on() {
    let editor = bare(says()).await;
    let error = editor.ask("session/nonsense", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -32601);
    begin(&editor).await;
}

#[tokio::test]
async fn acp_init_001_to_004_the_agent_says_its_version_and_its_name() {
    for asked in [1, 65535] {
        let editor = bare(says()).await;
        let params = json!({"protocolVersion": asked, "clientCapabilities": {},
            "info": {"name": "a client of tomorrow", "version": "1"}});
        let answer = editor.ask("initialize", params).await.unwrap();
        assert_eq!(answer["protocolVersion"], 1);
        assert!(answer["agentInfo"]["name"].is_string());
        assert!(answer["agentInfo"]["version"].is_string());
    }
}

#[tokio::test]
async fn acp_session_001_and_002_each_session_has_an_id_of_its_own() {
    let editor = bare(says()).await;
    let (one, two) = (begin(&editor).await, begin(&editor).await);
    assert!(!one["sessionId"].as_str().unwrap().is_empty());
    assert_ne!(one["sessionId"], two["sessionId"]);
}

#[tokio::test]
async fn acp_prompt_001_and_002_a_prompt_has_an_answer_and_updates_of_its_session() {
    let editor = bare(says()).await;
    let session = editor.begin().await;
    let answer = editor.prompt(&session, "Hello.").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
    let lines = editor.lines();
    let updates = lines.iter().filter(|it| it["method"] == "session/update");
    for update in updates {
        assert_eq!(update["params"]["sessionId"], session);
    }
}

#[tokio::test]
async fn acp_prompt_003_and_promptcap_001_and_003_a_prompt_may_have_links_images_and_files() {
    let editor = bare(says()).await;
    let answer = &editor.lines()[0]["result"]["agentCapabilities"]["promptCapabilities"];
    assert_eq!(answer["image"], true);
    assert_eq!(answer["embeddedContext"], true);
    // ACP-PROMPTCAP-002 is about agents that take sound.
    assert_ne!(answer["audio"], true);
    let session = editor.begin().await;
    for block in [
        json!({"type": "resource_link", "name": "a", "uri": "file:///a.txt"}),
        json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}),
        json!({"type": "resource", "resource": {"uri": "file:///a.txt", "text": "a"}}),
    ] {
        let blocks = json!([{"type": "text", "text": "Look."}, block]);
        let params = json!({"sessionId": session, "prompt": blocks});
        let answer = editor.ask("session/prompt", params).await.unwrap();
        assert_eq!(answer["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn acp_cancel_001_and_002_a_cancelled_prompt_is_answered_and_nothing_follows() {
    let editor = bare(held()).await;
    // It has a title, which the client does not know yet.
    let (session, work) = (crate::sessions::ID, editor.folder.path().to_owned());
    crate::sessions::store(editor.folder.path(), &work, 1);
    let params = json!({"sessionId": session, "cwd": work, "mcpServers": []});
    editor.ask("session/resume", params).await.unwrap();
    let id = editor
        .send("session/prompt", prompt(session, "Go on."))
        .await;
    editor.scripted.gates().reached("held").await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
    no_update_after(&editor, id).await;
}

#[tokio::test]
async fn acp_load_001_to_003_the_history_comes_before_the_answer() {
    let editor = bare(says()).await;
    let work = editor.folder.path().to_owned();
    crate::sessions::store(editor.folder.path(), &work, 3);
    let params = json!({"sessionId": crate::sessions::ID, "cwd": work, "mcpServers": []});
    let id = editor.send("session/load", params).await;
    let answer = editor.answer(id).await.unwrap();
    assert!(answer.is_object());
    let end = until_answer(&editor, id);
    assert_eq!(conversation(&editor.lines()[..end]), 6);
    editor.ask("session/list", json!({})).await.unwrap();
    assert_eq!(conversation(&editor.lines()), 6);
}

#[tokio::test]
async fn acp_resume_001_and_002_a_resumed_session_has_no_history() {
    let editor = bare(says()).await;
    let work = editor.folder.path().to_owned();
    crate::sessions::store(editor.folder.path(), &work, 3);
    let params = json!({"sessionId": crate::sessions::ID, "cwd": work});
    let answer = editor.ask("session/resume", params).await.unwrap();
    assert!(answer.is_object());
    assert_eq!(conversation(&editor.lines()), 0);
}

/// The number of updates that carry the conversation.
fn conversation(lines: &[Value]) -> usize {
    let kinds = lines
        .iter()
        .map(|line| &line["params"]["update"]["sessionUpdate"]);
    kinds
        .filter(|kind| CONVERSATION.iter().any(|it| *kind == it))
        .count()
}

#[tokio::test]
async fn acp_list_001_and_002_a_list_is_a_list_also_where_nothing_is() {
    let editor = bare(says()).await;
    let all = editor.ask("session/list", json!({})).await.unwrap();
    assert!(all["sessions"].is_array());
    let params = json!({"cwd": "/nobody/works/here"});
    let none = editor.ask("session/list", params).await.unwrap();
    assert_eq!(none["sessions"], json!([]));
}

#[tokio::test]
async fn acp_delete_001_and_002_a_session_may_be_deleted_twice() {
    let editor = bare(says()).await;
    let session = editor.begin().await;
    for id in [&*session, &*session, "never-created", ""] {
        let answer = editor
            .ask("session/delete", json!({"sessionId": id}))
            .await
            .unwrap();
        assert!(answer.is_object());
    }
}

#[tokio::test]
async fn acp_close_001_and_002_a_closed_session_cancels_its_prompt() {
    let editor = bare(held()).await;
    let session = editor.begin().await;
    let id = editor
        .send("session/prompt", prompt(&session, "Go on."))
        .await;
    editor.scripted.gates().reached("held").await;
    let closed = editor
        .ask("session/close", json!({"sessionId": session}))
        .await
        .unwrap();
    assert!(closed.is_object());
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
}

#[tokio::test]
async fn acp_adddirs_001_a_session_takes_more_directories() {
    let editor = bare(says()).await;
    let (cwd, more) = (editor.folder.path(), std::env::temp_dir());
    let params = json!({"cwd": cwd, "mcpServers": [], "additionalDirectories": [more]});
    editor.ask("session/new", params).await.unwrap();
}

#[tokio::test]
async fn acp_modes_001_and_002_the_current_mode_is_one_of_the_modes_and_may_be_set() {
    let editor = bare(says()).await;
    let session = begin(&editor).await;
    let modes = &session["modes"];
    let ids: Vec<_> = ids(&modes["availableModes"], "id");
    assert!(ids.contains(&modes["currentModeId"]));
    let other = ids.iter().find(|id| **id != modes["currentModeId"]);
    let params = json!({"sessionId": session["sessionId"], "modeId": other});
    // The scripted Claude Code takes no mode. What matters is that the request has an answer.
    let _ = editor.ask("session/set_mode", params).await;
}

#[tokio::test]
async fn acp_config_001_and_003_the_options_have_current_values_and_are_no_booleans() {
    let editor = bare(says()).await;
    let session = begin(&editor).await;
    for option in session["configOptions"].as_array().unwrap() {
        assert_eq!(option["type"], "select");
        assert!(ids(&option["options"], "value").contains(&option["currentValue"]));
    }
}

#[tokio::test]
async fn acp_config_002_a_change_is_answered_with_all_options_and_the_new_value() {
    let api = Api::start(scenarios::by_name("text").unwrap()).await;
    let api = api.unwrap();
    let editor = crate::real_cli::editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    let all = session["configOptions"].clone();
    assert!(!all.as_array().unwrap().is_empty());
    for option in all.as_array().unwrap() {
        let values = ids(&option["options"], "value");
        let other = values.iter().find(|it| **it != option["currentValue"]);
        let params = json!({"sessionId": session["sessionId"], "configId": option["id"],
            "value": other.unwrap()});
        let answer = editor.ask("session/set_config_option", params).await;
        let now = answer.unwrap()["configOptions"].clone();
        assert_eq!(ids(&now, "id"), ids(&all, "id"));
        let is_it = |it: &&Value| it["id"] == option["id"];
        let changed = now.as_array().unwrap().iter().find(is_it);
        assert_eq!(&changed.unwrap()["currentValue"], other.unwrap());
    }
    editor.leave().await.unwrap();
}

fn ids(list: &Value, name: &str) -> Vec<Value> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item[name].clone()).collect()
}

#[tokio::test]
async fn acp_auth_001_and_002_logins_have_ids_and_need_a_terminal() {
    let methods = |capabilities: Value| async move {
        let editor = Editor::with(says(), capabilities, |_, _| None).await;
        editor.lines()[0]["result"]["authMethods"].clone()
    };
    assert_eq!(methods(json!({})).await, json!([]));
    let all = ids(&methods(everything()).await, "id");
    let unique: HashSet<_> = all.iter().map(Value::to_string).collect();
    assert_eq!(unique.len(), all.len());
    assert!(!all.is_empty());
}

#[tokio::test]
async fn acp_auth_003_a_session_begins_behind_a_login() {
    let editor = Editor::with(says(), everything(), |_, _| None).await;
    for id in ids(&editor.lines()[0]["result"]["authMethods"], "id") {
        let answer = editor.ask("authenticate", json!({"methodId": id})).await;
        assert!(answer.unwrap().is_object());
        begin(&editor).await;
    }
}

#[tokio::test]
async fn acp_auth_004_a_logout_that_is_offered_is_one() {
    let api = Api::start(scenarios::by_name("text").unwrap()).await;
    let api = api.unwrap();
    let editor = crate::real_cli::editor(&api, |_, _| None).await;
    let answer = &editor.lines()[0]["result"];
    assert!(answer["agentCapabilities"]["auth"]["logout"].is_object());
    assert!(editor.ask("logout", json!({})).await.unwrap().is_object());
}

#[tokio::test]
async fn acp_auth_005_a_session_begins_where_no_login_is_offered() {
    begin(&bare(says()).await).await;
}

#[tokio::test]
async fn acp_clientcap_001_to_003_the_agent_asks_for_nothing_that_was_not_offered() {
    let question = json!({"questions": [{"question": "Which?", "header": "H", "multiSelect": false,
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]});
    let tools = [
        ("Read", json!({"file_path": "/a"})),
        ("Bash", json!({"command": "ls"})),
        ("AskUserQuestion", question),
    ];
    for (tool, input) in tools {
        let script = Script::new([Step::Turn(vec![
            Step::message([Block::tool_use(tool, input)]),
            Step::permission([Step::tool_result("done")], []),
        ])]);
        let person = |method: &str, _: &Value| {
            assert_eq!(method, "session/request_permission");
            Some(json!({"outcome": {"outcome": "cancelled"}}))
        };
        let editor = Editor::with(script, json!({}), person).await;
        let session = editor.begin().await;
        editor.prompt(&session, "Go on.").await.unwrap();
        let lines = editor.lines();
        for line in lines.iter().filter(|it| it["method"].is_string()) {
            let method = line["method"].as_str().unwrap();
            assert!(
                method.starts_with("session/") || method == "$/cancel_request",
                "{line}"
            );
        }
    }
}

#[tokio::test]
async fn acp_ext_001_and_error_001_a_custom_method_has_an_answer_of_one_line() {
    let editor = bare(says()).await;
    let unknown = editor.ask("_somebody/custom", json!({})).await.unwrap_err();
    let invalid = editor.ask("session/new", json!({})).await.unwrap_err();
    let relative = json!({"cwd": "relative", "mcpServers": []});
    let relative = editor.ask("session/new", relative).await.unwrap_err();
    for error in [unknown, invalid, relative] {
        let text = error["message"].as_str().unwrap();
        assert!(!text.is_empty() && !text.contains('\n'), "{error}");
    }
}

#[tokio::test]
async fn acp_meta_001_a_prompt_may_carry_more() {
    let editor = bare(says()).await;
    let session = editor.begin().await;
    let mut params = prompt(&session, "Hello.");
    params["_meta"] =
        json!({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
    let answer = editor.ask("session/prompt", params).await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
}

#[tokio::test]
async fn acp_shutdown_001_the_agent_ends_with_its_input() {
    let editor = bare(says()).await;
    editor.begin().await;
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn acp_info_parse_and_invalidreq_001_a_line_that_says_nothing_gets_an_error() {
    let editor = bare(says()).await;
    for (line, code) in [("no JSON", -32700), (r#"{"foo": "bar"}"#, -32600)] {
        editor.write(line).await;
        editor.wait(|it| it["error"]["code"] == code).await;
        editor.ask("session/list", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn acp_info_unknownsession_001_a_session_that_never_was_is_not_found() {
    let editor = bare(says()).await;
    let error = editor.prompt("never-created", "Hello.").await.unwrap_err();
    assert_eq!(error["code"], -32002);
}
