//! Bad input, and a Claude Code that dies.

use claw_testkit::agent::{Script, Step};
use serde_json::json;

use crate::cancel::{asks_after_the_result, elicits};
use crate::editor::{Editor, prompt};

#[tokio::test]
async fn a_line_that_is_no_json_gets_an_error_and_the_next_one_an_answer() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    editor.write("{\"jsonrpc\":").await;
    editor.wait(|it| it["error"]["code"] == -32700).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Hello.").await.unwrap();
}

#[tokio::test]
async fn an_unknown_method_and_an_unknown_session_get_errors() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let error = editor.ask("session/nonsense", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -32601);
    let error = editor
        .prompt("no-such-session", "Hello.")
        .await
        .unwrap_err();
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("no-such-session")
    );
    let params = json!({"cwd": "relative", "mcpServers": []});
    let error = editor.ask("session/new", params).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("relative"));
}

#[tokio::test]
async fn a_claude_that_dies_in_a_turn_fails_the_prompt_with_its_cause() {
    let script = Script::new([
        Step::expect_prompt(),
        Step::Stderr("fatal: out of memory\n".into()),
        Step::Exit(3),
    ]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    let error = editor.prompt(&session, "Hello.").await.unwrap_err();
    let text = error["message"].as_str().unwrap();
    assert!(text.contains("out of memory"), "{text}");
}

#[tokio::test]
async fn a_claude_that_never_answers_fails_the_new_session_in_time() {
    let script = Script::new([Step::expect_initialize(), Step::gate("never")]);
    let scripted = claw_testkit::agent::Agent::new(script);
    let transport = scripted.clone();
    let folder = tempfile::tempdir().unwrap();
    let agent = claw_acp::Agent::new(claw_types::QueryOptions::default())
        .start_timeout(std::time::Duration::from_millis(200))
        .configure(move |builder| builder.transport(transport.clone()));
    let editor = Editor::of(agent, scripted, folder, json!({}), |_, _| None).await;
    let params = json!({"cwd": editor.folder.path(), "mcpServers": []});
    let error = editor.ask("session/new", params).await.unwrap_err();
    assert!(
        error["message"].as_str().unwrap().contains("did not start"),
        "{error}"
    );
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_client_ends_an_open_turn() {
    let text = claw_testkit::Block::text("Never said.").hold(0, "held");
    let editor = Editor::new(Script::new([Step::Turn(vec![Step::message([text])])])).await;
    let session = editor.begin().await;
    editor
        .send("session/prompt", prompt(&session, "Go on."))
        .await;
    editor.scripted.gates().reached("held").await;
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_claude_that_dies_while_it_starts_fails_the_new_session_with_its_cause() {
    let script = Script::new([
        Step::expect_initialize(),
        Step::Stderr("fatal: no memory\n".into()),
        Step::Exit(3),
    ]);
    let editor = Editor::new(script).await;
    let params = json!({"cwd": editor.folder.path(), "mcpServers": []});
    let error = editor.ask("session/new", params).await.unwrap_err();
    let text = error["message"].as_str().unwrap();
    assert!(text.contains("no memory"), "{text}");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_claude_that_answers_nothing_but_initialize_holds_no_new_session() {
    let script = Script::new([
        Step::expect_initialize(),
        Step::Initialized,
        Step::Deaf,
        Step::Hang,
    ]);
    let editor = Editor::new(script).await;
    editor.begin().await;
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_claude_that_dies_while_it_asks_withdraws_its_question() {
    let script = Script::new([Step::Turn(vec![
        Step::message([claw_testkit::Block::tool_use(
            "Bash",
            json!({"command": "ls"}),
        )]),
        Step::Line(
            json!({"type": "control_request", "request_id": "r1", "request":
            {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"},
             "tool_use_id": "toolu_1"}}),
        ),
        Step::gate("asked"),
        Step::Exit(3),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    let id = editor
        .send("session/prompt", prompt(&session, "List."))
        .await;
    let asked = editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    editor.scripted.gates().open("asked");
    let error = editor.answer(id).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("no result"));
    let withdrawn = editor.wait(|it| it["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_client_denies_what_it_was_asked() {
    let script = Script::new([Step::Turn(vec![
        Step::message([claw_testkit::Block::tool_use(
            "Bash",
            json!({"command": "ls"}),
        )]),
        Step::permission([Step::tool_result("ran")], []),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    editor
        .send("session/prompt", prompt(&session, "List."))
        .await;
    editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    let scripted = editor.scripted.clone();
    editor.leave().await.unwrap();
    let received = scripted.received();
    let allowed = |it: &serde_json::Value| it["response"]["response"]["behavior"] == "allow";
    assert!(!received.iter().any(allowed), "{received:?}");
}

#[tokio::test]
async fn the_end_of_the_client_accepts_no_elicitation() {
    let editor = Editor::new(elicits()).await;
    let session = editor.begin().await;
    editor.send("session/prompt", prompt(&session, "Go.")).await;
    editor.wait(|it| it["method"] == "elicitation/create").await;
    let scripted = editor.scripted.clone();
    editor.leave().await.unwrap();
    let received = scripted.received();
    let accepted = |it: &serde_json::Value| it["response"]["response"]["action"] == "accept";
    assert!(!received.iter().any(accepted), "{received:?}");
}

#[tokio::test]
async fn the_end_of_the_client_denies_what_a_background_agent_asks() {
    let editor = Editor::new(asks_after_the_result()).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Begin.").await.unwrap();
    editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    let scripted = editor.scripted.clone();
    editor.leave().await.unwrap();
    let received = scripted.received();
    let allowed = |it: &serde_json::Value| it["response"]["response"]["behavior"] == "allow";
    assert!(!received.iter().any(allowed), "{received:?}");
}

#[tokio::test]
async fn a_claude_that_never_answers_fails_a_load_in_time_and_the_next_one_begins_anew() {
    let script = Script::new([Step::expect_initialize(), Step::gate("never")]);
    let scripted = claw_testkit::agent::Agent::new(script);
    let transport = scripted.clone();
    let folder = tempfile::tempdir().unwrap();
    let agent = claw_acp::Agent::new(claw_types::QueryOptions::default())
        .sessions(claw_sessions::Sessions::new(folder.path()))
        .start_timeout(std::time::Duration::from_millis(200))
        .configure(move |builder| builder.transport(transport.clone()));
    let editor = Editor::of(agent, scripted, folder, json!({}), |_, _| None).await;
    let work = editor.folder.path().to_owned();
    crate::sessions::store(editor.folder.path(), &work, 1);
    let params = json!({"sessionId": crate::sessions::ID, "cwd": work, "mcpServers": []});
    for times in 1..=2 {
        let error = editor.ask("session/load", params.clone()).await;
        let error = error.unwrap_err();
        let text = error["message"].as_str().unwrap();
        assert!(text.contains("did not start"), "{text}");
        // The history does not need a process.
        assert_eq!(editor.updates().len(), 2 * times);
    }
    let error = editor.prompt(crate::sessions::ID, "Hello.").await;
    assert_eq!(error.unwrap_err()["code"], -32002);
    editor.leave().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_client_does_not_wait_for_a_claude_that_starts() {
    let script = Script::new([Step::expect_initialize(), Step::gate("starting")]);
    let editor = Editor::new(script).await;
    let params = json!({"cwd": editor.folder.path(), "mcpServers": []});
    editor.send("session/new", params).await;
    editor.scripted.gates().reached("starting").await;
    let left = tokio::time::timeout(std::time::Duration::from_secs(20), editor.leave());
    left.await.expect("the agent waits").unwrap();
}
