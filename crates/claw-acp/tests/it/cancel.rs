//! Cancellation, of a turn and of a request.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::editor::{Editor, everything, prompt};

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
    let editor = Editor::new(Script::reply("Yes.")).await;
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

/// An elicitation of an MCP server in the middle of a turn.
pub(crate) fn elicits() -> Script {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let body = json!({"mcp_server_name": "names", "message": "Your name?", "mode": "form",
        "requested_schema": schema});
    Script::new([Step::Turn(vec![
        Step::request("elicitation", body),
        Step::message([Block::text("Thanks.")]),
    ])])
}

#[tokio::test]
async fn a_turn_with_an_open_elicitation_ends_as_cancelled() {
    let editor = Editor::new(elicits()).await;
    let session = editor.begin().await;
    let id = editor.send("session/prompt", prompt(&session, "Go.")).await;
    editor.wait(|it| it["method"] == "elicitation/create").await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "cancelled");
    editor.leave().await.unwrap();
}

/// A sub-agent in the background, which asks for a permission after the result of its turn.
pub(crate) fn asks_after_the_result() -> Script {
    let body = json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_late",
        "agent_id": "background"});
    Script::new([
        Step::Turn(vec![Step::message([Block::text("It goes on.")])]),
        Step::request("can_use_tool", body),
        Step::Turns(vec![Step::message([Block::text("Next.")])]),
    ])
}

/// What the CLI was told about the permission.
fn told(editor: &Editor) -> Value {
    let received = editor.scripted.received();
    let answer = received.iter().rfind(|it| it["type"] == "control_response");
    answer.unwrap()["response"]["response"].clone()
}

#[tokio::test]
async fn a_permission_that_is_asked_after_the_result_goes_to_the_client() {
    let chosen = json!({"outcome": {"outcome": "selected", "optionId": "allow"}});
    let editor = Editor::with(asks_after_the_result(), everything(), move |method, _| {
        (method == "session/request_permission").then(|| chosen.clone())
    });
    let editor = editor.await;
    let session = editor.begin().await;
    editor.prompt(&session, "Begin.").await.unwrap();
    // The scripted CLI takes no prompt before it has the answer.
    editor.prompt(&session, "Go on.").await.unwrap();
    assert_eq!(told(&editor)["behavior"], "allow");
}

#[tokio::test]
async fn a_cancel_while_a_background_agent_asks_is_no_error_and_the_answer_still_counts() {
    let editor = Editor::new(asks_after_the_result()).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Begin.").await.unwrap();
    let asked = editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    editor
        .notify("session/cancel", json!({"sessionId": session}))
        .await;
    // A client that cancels answers all open requests so.
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    let line = json!({"jsonrpc": "2.0", "id": asked["id"], "result": cancelled});
    editor.write(&line.to_string()).await;
    editor.prompt(&session, "Go on.").await.unwrap();
    assert_eq!(told(&editor)["behavior"], "deny");
}

#[tokio::test(start_paused = true)]
async fn a_claude_that_hangs_in_a_turn_does_not_hold_a_cancelled_prompt() {
    let editor = Editor::new(Script::new([Step::expect_prompt(), Step::Hang])).await;
    let session = editor.begin().await;
    for by_request in [true, false] {
        let id = editor.send("session/prompt", prompt(&session, "Go.")).await;
        if by_request {
            editor
                .notify("$/cancel_request", json!({"requestId": id}))
                .await;
        } else {
            editor
                .notify("session/cancel", json!({"sessionId": session}))
                .await;
        }
        // Not longer than half a minute.
        let answer = tokio::time::timeout(Duration::from_secs(30), editor.answer(id));
        let answer = answer.await.expect("the prompt is held");
        assert_eq!(answer.unwrap()["stopReason"], "cancelled");
    }
    editor.leave().await.unwrap();
}
