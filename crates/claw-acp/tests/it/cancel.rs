//! Cancellation, of a turn and of a request.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::json;

use crate::editor::{Editor, prompt};

fn held() -> Script {
    let text = Block::text("Never said.").hold(0, "held");
    Script::new([Step::Turns(vec![Step::message([text])])])
}

/// A prompt whose turn is held. Returns the session, and the ID of the prompt's request.
async fn begun(editor: &Editor) -> (String, u64) {
    let session = editor.begin().await;
    let id = editor
        .send("session/prompt", prompt(&session, "Go on."))
        .await;
    editor.scripted.gates().reached("held").await;
    (session, id)
}

#[tokio::test]
async fn a_cancelled_turn_ends_as_cancelled() {
    let editor = Editor::new(held()).await;
    let (session, id) = begun(&editor).await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn a_prompt_whose_request_is_cancelled_ends_as_cancelled() {
    let editor = Editor::new(held()).await;
    let (_, id) = begun(&editor).await;
    editor
        .notify("$/cancel_request", json!({"requestId": id}))
        .await;
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_cancel_without_a_turn_is_no_error() {
    let editor = Editor::new(Script::says("Yes.")).await;
    let session = editor.begin().await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    editor
        .notify("session/cancel", json!({"sessionId": "unknown"}))
        .await;
    let answer = editor.prompt(&session, "Still there?").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_permission_request_is_withdrawn_with_its_turn() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([], []),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    let id = editor
        .send("session/prompt", prompt(&session, "List."))
        .await;
    let asked = editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
    let withdrawn = editor.wait(|it| it["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
}
