//! Compactions of a conversation on request, with the scripted agent.

use claw_client::Session;
use claw_client::types::message::CompactTrigger;
use claw_client::types::{Message, QueryOptions};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use crate::agent::{Agent, connect, connect_as, soon};

/// A line of `system`.
fn system(mut line: Value) -> Step {
    for (key, value) in [
        ("type", "system"),
        ("uuid", "$uuid"),
        ("session_id", "$session_id"),
    ] {
        line[key] = json!(value);
    }
    Step::Line(line)
}

fn compacting() -> Step {
    system(json!({"subtype": "status", "status": "compacting"}))
}

fn failed(error: &str) -> Step {
    let body = json!({"subtype": "status", "status": null, "compact_result": "failed", "compact_error": error});
    system(body)
}

/// The result of a turn that ran a command of the CLI.
fn local(text: &str) -> Step {
    Step::Line(json!({
        "type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 0, "is_error": false, "num_turns": 0,
        "result": text, "stop_reason": null, "total_cost_usd": 0, "usage": {"input_tokens": 0, "output_tokens": 0},
        "modelUsage": {}, "permission_denials": [], "local_command": "compact", "uuid": "$uuid",
        "session_id": "$session_id", "user_message_uuids": ["$prompt_uuid"],
    }))
}

/// A compaction that succeeds, as CLI 2.1.332 reports it.
fn compacted() -> Step {
    let details =
        json!({"trigger": "manual", "pre_tokens": 22, "post_tokens": 7, "duration_ms": 26});
    Step::Turn(vec![
        compacting(),
        system(json!({"subtype": "status", "status": null, "compact_result": "success"})),
        system(json!({"subtype": "compact_boundary", "compact_metadata": details})),
        local(""),
        Step::LoseResult,
    ])
}

fn ended(steps: impl IntoIterator<Item = Step>) -> Step {
    Step::Turn(steps.into_iter().chain([Step::LoseResult]).collect())
}

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// The texts of the prompts that an agent got.
async fn prompts(agent: Agent) -> Vec<Value> {
    let received = agent.received().await.into_iter();
    let prompts = received.filter(|line| line["type"] == "user");
    prompts
        .map(|line| line["message"]["content"].clone())
        .collect()
}

#[tokio::test]
async fn a_compaction_returns_what_the_cli_reports() {
    let steps = [
        compacted(),
        compacted(),
        compacted(),
        ended([says("Yes."), local("Yes.")]),
    ];
    let (session, agent) = connect(Script::new(steps)).await;
    let done = soon(session.compact()).await.unwrap();
    assert_eq!(done.trigger, CompactTrigger::Manual);
    assert_eq!(done.pre_tokens.get(), 22);
    assert_eq!(done.post_tokens.unwrap().get(), 7);
    assert_eq!(done.duration_ms.map(|time| time.as_f64()), Some(26.0));
    soon(session.compact_with("  Keep the names.\nAnd the tasks. "))
        .await
        .unwrap();

    // Somebody else reads all messages.
    let messages = session.messages().unwrap();
    assert_eq!(soon(session.compact()).await.unwrap().pre_tokens.get(), 22);
    let seen = messages.try_filter_map(|item| async { Ok(item.into_message()) });
    let seen = seen.try_take_while(|message| std::future::ready(Ok(!message.is_result())));
    let seen: Vec<Message> = soon(seen.try_collect()).await.unwrap();
    assert!(
        seen.iter()
            .any(|message| matches!(message, Message::CompactBoundary(_)))
    );

    assert_eq!(soon(session.ask("Still there?")).await.unwrap(), "Yes.");
    drop(session);
    let expected = [
        "/compact",
        "/compact Keep the names.\nAnd the tasks.",
        "/compact",
        "Still there?",
    ];
    assert_eq!(prompts(agent).await, expected);
}

#[tokio::test]
async fn a_refusal_and_a_failure_are_typed() {
    let steps = [
        ended([says("Error: No messages to compact"), local("")]),
        ended([
            compacting(),
            failed("API Error: 400 No\u{1b}"),
            says("API Error"),
            local(""),
        ]),
        // The turn has no text of the CLI.
        ended([local("")]),
        Step::Turn(vec![Step::api_failure(529, "overloaded", "Overloaded")]),
        compacted(),
    ];
    let (session, _agent) = connect(Script::new(steps)).await;
    for (reason, is_failed, text) in [
        (
            "Error: No messages to compact",
            false,
            ": Error: No messages to compact",
        ),
        (
            "API Error: 400 No\u{1b}",
            true,
            ": API Error: 400 No\\u{1b}",
        ),
        ("", false, ""),
    ] {
        let error = soon(session.compact()).await.unwrap_err();
        assert!(
            error.is_not_compacted() && !error.is_turn_failed(),
            "{error}"
        );
        let why = error.not_compacted().unwrap();
        assert_eq!((&*why.reason, why.is_failed), (reason, is_failed));
        assert_eq!(
            error.to_string(),
            format!("claude did not compact the conversation{text}")
        );
        assert!(error.turn_result().is_some());
    }
    let error = soon(session.compact()).await.unwrap_err();
    assert!(
        error.is_turn_failed() && !error.is_not_compacted(),
        "{error}"
    );
    // The session continues.
    soon(session.compact()).await.unwrap();
}

/// A compaction waits for the prompts before it. One that is dropped while it waits is not sent.
#[tokio::test]
async fn a_compaction_waits_for_its_turn() {
    let first = ended([Step::gate("first"), says("One."), local("One.")]);
    let (session, agent) = connect(Script::new([first, compacted()])).await;
    let asked = tokio::spawn(session.ask("One?"));
    soon(agent.gates.reached("first")).await;
    let mut dropped = Box::pin(session.compact_with("never"));
    assert!(futures::poll!(&mut dropped).is_pending());
    let mut kept = Box::pin(session.compact());
    assert!(futures::poll!(&mut kept).is_pending());
    drop(dropped);
    agent.gates.open("first");
    assert_eq!(soon(asked).await.unwrap().unwrap(), "One.");
    soon(kept).await.unwrap();
    drop(session);
    assert_eq!(prompts(agent).await, ["One?", "/compact"]);
}

/// Prompts of such a session are no commands; a compaction is one nevertheless.
#[tokio::test]
async fn a_compaction_is_a_command_where_prompts_are_verbatim() {
    let builder = Session::builder(QueryOptions::default().verbatim_prompts(true));
    let (session, agent) = connect_as(builder, Script::new([compacted()])).await;
    soon(session.compact()).await.unwrap();
    drop(session);
    let received = agent.received().await;
    let prompt = received.iter().find(|line| line["type"] == "user").unwrap();
    assert_eq!(prompt["client_composed"], false, "{prompt}");
}

#[cfg(feature = "pool")]
#[tokio::test]
async fn a_session_of_a_pool_is_compacted_too() {
    use std::sync::Mutex;

    use claw_client::pool::Pool;

    use crate::agent::{Pipe, builder};

    let (pipe, agent) = Agent::start(Script::new([
        Step::Turn(vec![says("Yes.")]),
        compacted(),
        ended([says("Error: No messages to compact"), local("")]),
    ]));
    let pipe = Mutex::new(Some(pipe));
    let pool = Pool::builder().build();
    let session = pool.session(QueryOptions::default(), move |_| {
        let pipe: Pipe = pipe.lock().unwrap().take().expect("it is started once");
        builder().transport(pipe)
    });
    soon(session.ask("Are you there?")).await.unwrap();
    let done = soon(session.compact_with("Keep the names.")).await.unwrap();
    assert_eq!(done.pre_tokens.get(), 22);
    let error = soon(session.compact()).await.unwrap_err();
    assert!(error.is_not_compacted(), "{error}");
    drop(session);
    assert_eq!(
        prompts(agent).await,
        ["Are you there?", "/compact Keep the names.", "/compact"]
    );
}
