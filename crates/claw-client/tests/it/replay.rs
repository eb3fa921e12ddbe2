//! Sessions with recordings.

use std::path::Path;

use claw_client::transport::Replay;
use claw_client::types::Message;
use claw_client::types::control::{PermissionResult, SetModel};
use claw_client::{Error, SessionBuilder, ToolPermissionRequest};
use claw_testkit::agent::Script;
use futures::TryStreamExt;

use crate::agent::{Agent, all, builder, next, soon};

/// A recording of the real CLI.
fn fixture(name: &str) -> Replay {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    Replay::open(fixtures.join(name)).unwrap()
}

fn denying(reason: &'static str) -> SessionBuilder {
    builder()
        .can_use_tool(move |_: ToolPermissionRequest| async move { PermissionResult::deny(reason) })
}

const PROMPT: &str = "Write hello into greeting.txt.";

#[tokio::test]
async fn a_session_with_a_recording_of_the_real_cli() {
    let replay = fixture("bash_denied");
    let session = soon(denying("Not today.").transport(replay).connect())
        .await
        .unwrap();
    assert!(session.info().is_some());
    let result = soon(session.send(PROMPT).await.unwrap().result())
        .await
        .unwrap();
    assert_eq!(result.text(), "I could not write the file.");
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn several_turns_each_have_their_result() {
    let session = soon(builder().transport(fixture("clear")).connect())
        .await
        .unwrap();
    for prompt in ["Hello?", "/clear", "Hello?"] {
        let turn = session.send(prompt).await.unwrap();
        assert!(!soon(turn.result()).await.unwrap().is_error());
    }
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_background_turn_within_the_prompts_own_does_not_take_its_result() {
    let replay = fixture("subagent_background_closed");
    let session = soon(builder().transport(replay).connect()).await.unwrap();
    let mut messages = session.messages().unwrap();
    let turn = session.send("Ask an agent.").await.unwrap();
    let own = soon(turn.result()).await.unwrap();
    assert_eq!(own.text(), "It is on its way.");
    let mut all = Vec::new();
    while all.len() < 2 {
        let message = next(&mut messages).await.unwrap().unwrap();
        if let Message::ResultSuccess(result) = &message {
            all.push((result.result.clone(), message.is_background_result()));
        }
    }
    let background = "Two files, says the agent.".to_owned();
    assert_eq!(
        all,
        [("It is on its way.".to_owned(), false), (background, true)]
    );
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_takes_in_another_has_the_result_of_both() {
    for (recording, prompt, answer) in [
        // The prompt is taken into a background turn.
        (
            "background_joined",
            "Are you there?",
            "Yes, and there are two files.",
        ),
        // The end of the work in the background is taken into the prompt's turn.
        (
            "background_folded",
            "Say hello.",
            "Hello, and there are two files.",
        ),
    ] {
        let replay = fixture(recording);
        let session = soon(builder().transport(replay).connect()).await.unwrap();
        let mut messages = session.messages().unwrap();
        for (prompt, answer) in [("Ask an agent.", "It is on its way."), (prompt, answer)] {
            let turn = session.send(prompt).await.unwrap();
            let own = soon(turn.result()).await.unwrap();
            assert_eq!(own.text(), answer, "{recording}");
            let result = loop {
                let message = next(&mut messages).await.unwrap().unwrap();
                if let Message::ResultSuccess(_) = message {
                    break message;
                }
            };
            assert!(!result.is_background_result(), "{recording}: {prompt}");
        }
        soon(session.close()).await.unwrap();
    }
}

#[tokio::test]
async fn a_deferred_tool_does_not_take_the_prompts_result() {
    for recording in ["hook_defer_resumed.2", "hook_defer_resumed_oldest.2"] {
        let session = soon(builder().transport(fixture(recording)).connect())
            .await
            .unwrap();
        let mut turn = session.send("Go on.").await.unwrap();
        let mut own = Vec::new();
        while let Some(message) = next(&mut turn).await.unwrap() {
            own.push(message);
        }
        // The deferred call was the first; the prompt's turn has one of its own.
        let tools: Vec<_> = own.iter().flat_map(Message::tool_results).collect();
        let ids: Vec<_> = tools.iter().map(|tool| tool.tool_use_id.as_str()).collect();
        assert_eq!(ids, ["toolu_0002"], "{recording}");
        let last = own.last().map(|message| message.kind().to_string());
        assert_eq!(last.as_deref(), Some("result/success"), "{recording}");
    }
}

#[tokio::test]
async fn turns_that_end_at_a_limit_or_run_a_forked_command_have_their_result() {
    for (recording, prompt, is_error) in [
        ("max_budget_tool", "Say hello.", true),
        ("max_turns_tool", "Search, and say hello.", true),
        ("forked_command", "/count", false),
        ("server_tools_whole", "Search for claw.", true),
    ] {
        let session = soon(builder().transport(fixture(recording)).connect())
            .await
            .unwrap();
        let turn = session.send(prompt).await.unwrap();
        let result = soon(turn.result()).await.unwrap();
        assert_eq!(result.is_error(), is_error, "{recording}");
    }
}

#[tokio::test]
async fn a_deviation_is_told_to_all_who_wait() {
    let deviation = |error: Error| {
        assert!(error.is_io(), "{error:?}");
        error.to_string()
    };
    // Another answer.
    let replay = fixture("bash_denied");
    let session = soon(denying("Never.").transport(replay).connect())
        .await
        .unwrap();
    let turn = session.send(PROMPT).await.unwrap();
    let error = deviation(soon(turn.result()).await.unwrap_err());
    assert!(
        error.contains("Never.") && error.contains("Not today."),
        "{error}"
    );
    // Another prompt.
    let replay = fixture("bash_denied");
    let query = soon(builder().transport(replay).query("Hello?"))
        .await
        .unwrap();
    let error = deviation(soon(query.try_collect::<Vec<_>>()).await.unwrap_err());
    assert!(
        error.contains("Hello?") && error.contains(PROMPT),
        "{error}"
    );
    // A request that was not made then.
    let session = soon(builder().transport(fixture("text")).connect())
        .await
        .unwrap();
    let request = session.call(SetModel::new().model("opus"));
    let error = deviation(soon(request).await.unwrap_err());
    assert!(error.contains("set_model"), "{error}");
}

#[tokio::test]
async fn what_is_recorded_is_played_to_the_same_messages() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, agent) = Agent::start(Script::demo());
    let allow =
        || builder().can_use_tool(|_: ToolPermissionRequest| async { PermissionResult::allow() });
    let query = soon(
        allow()
            .record(folder.path())
            .transport(pipe)
            .query("Hello?"),
    )
    .await;
    let recorded: Vec<Message> = all(query.unwrap()).await.unwrap();
    agent.gone().await;
    assert!(recorded.len() > 5, "{recorded:?}");

    let replay = Replay::open(folder.path()).unwrap();
    let query = soon(allow().transport(replay).query("Hello?"))
        .await
        .unwrap();
    let played: Vec<Message> = all(query).await.unwrap();
    // Prompts have other names each time.
    let text = |messages: &[Message]| -> Vec<String> {
        messages
            .iter()
            .map(|message| format!("{} {}", message.kind(), message.text()))
            .collect()
    };
    assert_eq!(text(&played), text(&recorded));
}
