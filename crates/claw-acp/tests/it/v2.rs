//! Clients of version 2 of the protocol, which is a draft.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::editor::{Editor, agent};

mod real;

async fn editor(script: Script) -> Editor {
    editor_with(script, |_, _| None).await
}

async fn editor_with(
    script: Script,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Editor {
    let (agent, scripted, folder) = agent(script);
    Editor::second(agent, scripted, folder, person).await
}

/// The states of the session so far, with the reasons of their ends.
pub(crate) fn states(editor: &Editor) -> Vec<String> {
    let updates = editor.updates().into_iter();
    let states = updates.filter(|it| it["sessionUpdate"] == "state_update");
    let texts = states.map(|it| {
        let state = it["state"].as_str().unwrap();
        match it["stopReason"].as_str() {
            Some(reason) => format!("{state} {reason}"),
            None => state.to_owned(),
        }
    });
    texts.collect()
}

/// Waits until the session has been idle this often.
pub(crate) async fn idle(editor: &Editor, times: usize) {
    let is_idle = |line: &Value| {
        let update = &line["params"]["update"];
        update["sessionUpdate"] == "state_update" && update["state"] == "idle"
    };
    editor
        .wait_for(|lines| lines.iter().filter(|line| is_idle(line)).count() >= times)
        .await;
}

/// The kinds of the updates, with each piece of a message once.
pub(crate) fn kinds(updates: &[Value]) -> Vec<String> {
    let kinds = updates
        .iter()
        .map(|it| it["sessionUpdate"].as_str().unwrap().to_owned());
    let mut kinds: Vec<_> = kinds.collect();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn the_client_chooses_the_version() {
    for (asked, answered) in [
        (json!(1), 1),
        (json!(0), 1),
        (json!(2), 2),
        (json!(65535), 2),
    ] {
        let (agent, scripted, folder) = agent(Script::reply("Yes."));
        let editor = Editor::unchecked(agent, scripted, folder);
        let params = json!({"protocolVersion": asked, "clientCapabilities": {},
            "info": {"name": "a client", "version": "1"}, "capabilities": {}});
        let answer = editor.ask("initialize", params).await.unwrap();
        assert_eq!(answer["protocolVersion"], answered, "{asked}");
        // Each version has its own names.
        assert_eq!(answer.get("agentInfo").is_some(), answered == 1);
        assert_eq!(answer.get("info").is_some(), answered == 2);
        editor.leave().await.unwrap();
    }
}

#[tokio::test]
async fn a_request_before_initialize_or_with_a_wrong_version_is_an_error() {
    let (agent, scripted, folder) = agent(Script::reply("Yes."));
    let editor = Editor::unchecked(agent, scripted, folder);
    let wrong = editor.ask("initialize", json!({"protocolVersion": "2"}));
    assert_eq!(wrong.await.unwrap_err()["code"], -32602);
}

#[tokio::test]
async fn a_prompt_is_inserted_then_answered_and_the_session_becomes_idle() {
    let editor = editor(Script::reply("Four and some more words.")).await;
    let session = editor.begin().await;
    let answer = editor.prompt(&session, "What is 2 + 2?").await.unwrap();
    idle(&editor, 1).await;
    assert_eq!(editor.text(), "Four and some more words.");
    assert_eq!(states(&editor), ["running", "idle end_turn"]);
    let updates = editor.updates();
    let expected = [
        "user_message",
        "state_update",
        "agent_message_chunk",
        "state_update",
    ];
    assert_eq!(kinds(&updates), expected);
    assert_eq!(updates[0]["messageId"], answer["messageId"]);
    assert_eq!(updates[0]["content"][0]["text"], "What is 2 + 2?");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_new_session_has_options_and_commands_and_no_modes() {
    let editor = editor(Script::reply("Yes.")).await;
    let params = json!({"cwd": editor.folder.path()});
    let session = editor.ask("session/new", params).await.unwrap();
    let option = &session["configOptions"][0];
    assert_eq!(
        (&option["configId"], &option["type"]),
        (&json!("mode"), &json!("select"))
    );
    assert!(session.get("modes").is_none());
    assert_eq!(session["availableCommands"][0]["type"], "command");
    let params = json!({"sessionId": session["sessionId"], "configId": "mode",
        "type": "id", "value": "plan"});
    let set = editor.ask("session/set_config_option", params).await;
    // The scripted agent refuses the call, and its error comes back.
    assert!(
        set.unwrap_err()["message"]
            .as_str()
            .unwrap()
            .contains("mode")
    );
    for value in [
        json!({"type": "boolean", "value": true}),
        json!({"type": "_other", "value": 1}),
    ] {
        let mut params = json!({"sessionId": session["sessionId"], "configId": "mode"});
        params["type"] = value["type"].clone();
        params["value"] = value["value"].clone();
        let error = editor
            .ask("session/set_config_option", params)
            .await
            .unwrap_err();
        assert_eq!(error["code"], -32602);
    }
}

#[tokio::test]
async fn a_tool_call_is_one_kind_of_update_and_a_command_has_a_terminal() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::tool_result("a.rs"),
        Step::message([Block::text("Done.")]),
    ])]);
    let editor = editor(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "List.").await.unwrap();
    idle(&editor, 1).await;
    let updates = editor.updates();
    let calls = updates
        .iter()
        .filter(|it| it["sessionUpdate"] == "tool_call_update");
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls[0]["name"], "Bash");
    let last = calls.last().unwrap();
    assert_eq!(last["status"], "completed");
    assert!(
        calls
            .iter()
            .all(|call| call["_meta"].get("terminal_info").is_none())
    );
    let terminal = last["content"][0].clone();
    assert_eq!(terminal["type"], "terminal");
    let screens = updates
        .iter()
        .filter(|it| it["sessionUpdate"] == "terminal_update");
    let screens: Vec<_> = screens.collect();
    assert!(
        screens
            .iter()
            .all(|it| it["terminalId"] == terminal["terminalId"])
    );
    assert!(screens.iter().any(|it| it["command"] == "ls"));
    let ended = screens.last().unwrap();
    // `a.rs`, in Base64.
    assert_eq!(ended["output"]["data"], "YS5ycw==");
    assert_eq!(ended["exitStatus"]["exitCode"], 0);
}

#[tokio::test]
async fn an_edit_is_a_patch_with_its_file() {
    let edit = json!({"file_path": "/work/project/a.rs", "old_string": "one", "new_string": "two"});
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Edit", edit)]),
        Step::tool_result("The file was updated."),
        Step::message([Block::text("Done.")]),
    ])]);
    let editor = editor(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Change it.").await.unwrap();
    idle(&editor, 1).await;
    let updates = editor.updates();
    let mut diffs = updates
        .iter()
        .filter(|it| it["content"][0]["type"] == "diff");
    let diff = &diffs.next_back().unwrap()["content"][0];
    let change = &diff["changes"][0];
    assert_eq!(
        (&change["operation"], &change["path"]),
        (&json!("modify"), &json!("/work/project/a.rs"))
    );
    let patch = diff["patch"]["text"].as_str().unwrap();
    assert!(patch.ends_with("@@ -1,1 +1,1 @@\n-one\n+two\n"), "{patch}");
}

#[tokio::test]
async fn a_to_do_list_is_a_plan_with_an_id() {
    let todos = json!({"todos": [
        {"content": "Jump", "status": "in_progress", "activeForm": "Jumping"},
    ]});
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("TodoWrite", todos)]),
        Step::tool_result("ok"),
    ])]);
    let editor = editor(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Plan.").await.unwrap();
    idle(&editor, 1).await;
    let updates = editor.updates();
    let plan = updates
        .iter()
        .find(|it| it["sessionUpdate"] == "plan_update");
    let plan = &plan.unwrap()["plan"];
    assert_eq!(
        (&plan["type"], &plan["planId"]),
        (&json!("items"), &json!("plan"))
    );
    assert_eq!(plan["entries"][0]["status"], "in_progress");
}

fn asks(tool: &str, input: Value) -> Script {
    Script::new([Step::Turn(vec![
        Step::message([Block::tool_use(tool, input)]),
        Step::permission(
            [
                Step::tool_result("ran"),
                Step::message([Block::text("Allowed.")]),
            ],
            [Step::message([Block::text("Denied.")])],
        ),
    ])])
}

#[tokio::test]
async fn a_permission_requires_action_and_only_a_chosen_option_allows() {
    for (outcome, text) in [
        (
            json!({"outcome": "selected", "optionId": "allow"}),
            "Allowed.",
        ),
        (
            json!({"outcome": "selected", "optionId": "reject"}),
            "Denied.",
        ),
        (
            json!({"outcome": "selected", "optionId": "unknown"}),
            "Denied.",
        ),
        (json!({"outcome": "cancelled"}), "Denied."),
        (json!({"outcome": "_later"}), "Denied."),
    ] {
        let answer = json!({ "outcome": outcome });
        let script = asks("Bash", json!({"command": "ls"}));
        let editor = editor_with(script, move |method, params| {
            assert_eq!(method, "session/request_permission");
            assert_eq!(params["title"], "ls");
            let subject = &params["subject"];
            assert_eq!(subject["type"], "tool_call");
            assert_eq!(subject["toolCall"]["content"][0]["type"], "terminal");
            Some(answer.clone())
        });
        let editor = editor.await;
        let session = editor.begin().await;
        editor.prompt(&session, "List.").await.unwrap();
        idle(&editor, 1).await;
        assert_eq!(editor.text(), text, "{outcome}");
        let expected = ["running", "requires_action", "running", "idle end_turn"];
        assert_eq!(states(&editor), expected, "{outcome}");
        editor.leave().await.unwrap();
    }
}

#[tokio::test]
async fn a_question_is_a_form() {
    let input = json!({"questions": [{"question": "Which?", "header": "Which", "multiSelect": false,
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]});
    let editor = editor_with(asks("AskUserQuestion", input), |method, params| {
        assert_eq!(method, "elicitation/create");
        assert_eq!(params["mode"], "form");
        Some(json!({"action": "accept", "content": {"question1": "B"}}))
    });
    let editor = editor.await;
    let session = editor.begin().await;
    editor.prompt(&session, "Ask.").await.unwrap();
    idle(&editor, 1).await;
    assert_eq!(editor.text(), "Allowed.");
    assert!(states(&editor).contains(&"requires_action".to_owned()));
}

fn held() -> Script {
    let text = Block::text("Half of it.").hold(1, "held");
    Script::new([Step::Turns(vec![Step::message([text])])])
}

#[tokio::test]
async fn a_cancel_while_a_permission_is_open_withdraws_it() {
    let editor = editor(asks("Bash", json!({"command": "ls"}))).await;
    let session = editor.begin().await;
    editor.prompt(&session, "List.").await.unwrap();
    editor
        .wait(|line| line["method"] == "session/request_permission")
        .await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    idle(&editor, 1).await;
    assert_eq!(
        states(&editor),
        ["running", "requires_action", "idle cancelled"]
    );
    editor
        .wait(|line| line["method"] == "$/cancel_request")
        .await;
}

#[tokio::test]
async fn a_session_that_is_closed_becomes_idle_before_the_answer() {
    let editor = editor(held()).await;
    let session = editor.begin().await;
    editor.prompt(&session, "One.").await.unwrap();
    let params = json!({"sessionId": session});
    let id = editor.send("session/close", params.clone()).await;
    editor.answer(id).await.unwrap();
    let lines = editor.lines();
    let answer = lines.iter().position(|line| line["id"] == id).unwrap();
    let idle = lines
        .iter()
        .position(|line| line["params"]["update"]["state"] == "idle");
    assert!(idle.unwrap() < answer);
    assert_eq!(states(&editor), ["running", "idle cancelled"]);
    // Closing a session that does not exist has no effect, but prompts for it fail.
    editor.ask("session/close", params).await.unwrap();
    let error = editor.prompt(&session, "Two.").await.unwrap_err();
    assert_eq!(error["code"], -32002);
    assert_eq!(error["data"]["sessionId"], session);
}

#[tokio::test]
async fn a_failed_turn_is_an_end_with_an_error() {
    let script = Script::new([Step::Turn(vec![Step::api_failure(
        500,
        "api_error",
        "API Error: 500 overloaded",
    )])]);
    let editor = editor(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Hello?").await.unwrap();
    idle(&editor, 1).await;
    assert_eq!(states(&editor), ["running", "idle error"]);
    let updates = editor.updates();
    let error = &updates.last().unwrap()["error"];
    assert!(
        error["message"].as_str().unwrap().contains("500"),
        "{error}"
    );
}

#[tokio::test]
async fn a_process_that_dies_ends_the_work_with_its_cause() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::text("Half.")]),
        Step::Exit(7),
    ])]);
    let editor = editor(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Hello?").await.unwrap();
    idle(&editor, 1).await;
    assert_eq!(states(&editor), ["running", "idle error"]);
    let updates = editor.updates();
    let error = &updates.last().unwrap()["error"];
    assert!(error["message"].as_str().unwrap().contains('7'), "{error}");
}

#[tokio::test]
async fn what_the_agent_does_not_offer_is_refused() {
    let editor = editor(Script::reply("Yes.")).await;
    let session = editor.begin().await;
    let cwd = editor.folder.path();
    for (method, params) in [
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": []}),
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": [
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]}),
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": [{"type": "_x"}]}),
        ),
        (
            "session/new",
            json!({"cwd": cwd, "mcpServers": [{"type": "acp", "name": "x"}]}),
        ),
        (
            "session/new",
            json!({"cwd": cwd, "systemPrompt": {
            "mode": "append", "content": [{"type": "text", "text": "x"}]}}),
        ),
        ("session/new", json!({"cwd": "relative"})),
        (
            "session/resume",
            json!({"sessionId": session, "cwd": cwd,
            "replayFrom": {"type": "_later"}}),
        ),
        (
            "tool_call/cancel",
            json!({"sessionId": session, "toolCallId": "x"}),
        ),
        ("auth/login", json!({"methodId": "unknown"})),
    ] {
        let error = editor.ask(method, params.clone()).await.unwrap_err();
        assert_eq!(error["code"], -32602, "{method} {params}: {error}");
    }
    for method in ["session/load", "session/set_mode", "session/nonsense"] {
        let error = editor
            .ask(method, json!({"sessionId": session}))
            .await
            .unwrap_err();
        assert_eq!(error["code"], -32601, "{method}");
    }
    editor
        .ask("auth/login", json!({"methodId": "claude-login"}))
        .await
        .unwrap();
}
