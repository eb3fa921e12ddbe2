//! Bad input, and a Claude Code that dies.

use claw_testkit::agent::{Script, Step};
use serde_json::json;

use crate::editor::{Editor, prompt};

#[tokio::test]
async fn a_line_that_is_no_json_gets_an_error_and_the_next_one_an_answer() {
    let editor = Editor::new(Script::says("Yes.")).await;
    editor.write("{\"jsonrpc\":").await;
    editor.wait(|it| it["error"]["code"] == -32700).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Hello.").await.unwrap();
}

#[tokio::test]
async fn an_unknown_method_and_an_unknown_session_get_errors() {
    let editor = Editor::new(Script::says("Yes.")).await;
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
