//! Turns and their results.

use claw_client::TurnResult;
use claw_client::types::message::UserMessage;
use claw_client::types::{Message, MessageUuid};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::{StreamExt, TryStreamExt};
use serde_json::json;

use crate::agent::{all, builder, connect, next, query, soon};

fn says(text: &str) -> Step {
    Step::Turn(vec![Step::message([Block::text(text)])])
}

/// A result line that names these prompts.
pub(crate) fn result(prompts: &serde_json::Value) -> Step {
    Step::Line(json!({
        "type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1,
        "is_error": false, "num_turns": 1, "result": "raw", "stop_reason": null,
        "total_cost_usd": 0, "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {},
        "permission_denials": [], "uuid": "$uuid", "session_id": "$session_id",
        "user_message_uuids": prompts,
    }))
}

fn state(state: &str) -> Step {
    Step::Line(json!({
        "type": "system", "subtype": "session_state_changed", "state": state,
        "sdk_host_only": true, "uuid": "$uuid", "session_id": "$session_id",
    }))
}

#[tokio::test]
async fn a_turn_is_a_stream_that_ends_with_the_result() {
    let (session, _agent) = connect(Script::new([says("Hello there"), says("Bye")])).await;
    assert_eq!(
        session.info().unwrap().claude_code_version.as_deref(),
        Some(claw_client::types::CLI_VERSION)
    );
    let mut turn = session.send("Hi").await.unwrap();
    let messages = all(&mut turn).await.unwrap();
    let texts: Vec<_> = messages
        .iter()
        .map(Message::text)
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(texts, ["Hello there"]);
    assert!(messages.last().unwrap().is_result());
    assert_eq!(
        messages
            .iter()
            .filter(|message| message.is_result())
            .count(),
        1
    );
    // What the CLI says to the host alone is not the user's.
    let text = format!("{messages:?}");
    assert!(!text.contains("session_state_changed"), "{text}");

    let bye = soon(session.send("Bye").await.unwrap().result())
        .await
        .unwrap();
    assert!(matches!(bye, TurnResult::Success(_)));
    assert_eq!((bye.text().as_ref(), bye.is_error()), ("Bye", false));
}

#[tokio::test]
async fn every_prompt_has_its_own_result() {
    let (session, _agent) = connect(Script::new([says("one"), says("two"), says("three")])).await;
    let mut turns = Vec::new();
    for prompt in ["1", "2", "3"] {
        turns.push(session.send(prompt).await.unwrap());
    }
    let mut texts = Vec::new();
    for turn in turns {
        texts.push(soon(turn.result()).await.unwrap().text().into_owned());
    }
    assert_eq!(texts, ["one", "two", "three"]);
}

#[tokio::test]
async fn merged_prompts_end_with_the_same_result() {
    let script = Script::new([
        Step::expect_prompt(),
        Step::expect_prompt(),
        result(&json!(["p1", "p2"])),
    ]);
    let (session, _agent) = connect(script).await;
    let prompt = |id: &str| UserMessage::prompt("Hi").uuid(MessageUuid::from(id));
    let first = session.send(prompt("p1")).await.unwrap();
    let second = session.send(prompt("p2")).await.unwrap();
    let (first, second) = soon(futures::future::join(first.result(), second.result())).await;
    assert_eq!(first.unwrap(), second.unwrap());
}

#[tokio::test]
async fn an_older_cli_names_no_prompt() {
    let script = Script::new([
        Step::expect_prompt(),
        Step::expect_prompt(),
        result(&json!(null)),
        Step::Gate("second".into()),
        result(&json!(null)),
    ]);
    let (session, agent) = connect(script).await;
    let first = session.send("1").await.unwrap();
    let mut second = session.send("2").await.unwrap();
    soon(first.result()).await.unwrap();
    assert!(futures::poll!(second.next()).is_pending());
    agent.gates.open("second");
    soon(second.result()).await.unwrap();
}

#[tokio::test]
async fn a_lost_result_ends_its_turn_at_rest() {
    let lost = Step::Turn(vec![Step::message([Block::text("so")]), Step::LoseResult]);
    let (session, _agent) = connect(Script::new([lost, says("on")])).await;
    let error = soon(session.send("1").await.unwrap().result())
        .await
        .unwrap_err();
    assert!(error.is_result_lost(), "{error}");
    assert_eq!(
        soon(session.send("2").await.unwrap().result())
            .await
            .unwrap()
            .text(),
        "on"
    );
}

/// A `system/init` that names these prompts.
fn init(prompts: &serde_json::Value) -> Step {
    Step::Line(json!({
        "type": "system", "subtype": "init", "uuid": "$uuid", "session_id": "$session_id",
        "user_message_uuids": prompts,
    }))
}

/// The orders in which an idle CLI leaves the prompt `p` without its result.
fn orders_without_a_result() -> [Vec<Step>; 4] {
    let lifecycle = |state: &str| {
        Step::Line(
            json!({"type": "command_lifecycle", "command_uuid": "p", "state": state,
            "uuid": "$uuid", "session_id": "$session_id"}),
        )
    };
    let other = json!(["another"]);
    [
        // The result names something else.
        vec![state("running"), result(&other), state("idle")],
        // It began, and something else got a result.
        vec![
            state("running"),
            init(&json!(["p"])),
            init(&other),
            result(&other),
            state("idle"),
        ],
        // Nothing began.
        vec![state("idle")],
        // It waits in a queue, and nothing else is done.
        vec![state("running"), lifecycle("queued"), state("idle")],
    ]
}

#[tokio::test]
async fn an_idle_cli_settles_every_prompt_that_it_has_read() {
    let prompt = || UserMessage::prompt("Hi").uuid(MessageUuid::from("p"));
    for order in orders_without_a_result() {
        let steps = [vec![Step::expect_prompt()], order, vec![says("on")]];
        let (session, _agent) = connect(Script::new(steps.concat())).await;
        let first = session.ask(prompt());
        let behind = session.ask("And on");
        let (first, behind) = soon(futures::future::join(first, behind)).await;
        let error = first.unwrap_err();
        assert!(error.is_result_lost(), "{error}");
        assert_eq!(behind.unwrap(), "on");
        soon(session.close()).await.unwrap();
    }
}

#[tokio::test]
async fn a_query_of_an_idle_cli_ends_without_a_result() {
    for order in orders_without_a_result() {
        let steps = [vec![Step::expect_prompt()], order];
        let (pipe, agent) = crate::agent::Agent::start(Script::new(steps.concat()));
        let prompt = UserMessage::prompt("Hi").uuid(MessageUuid::from("p"));
        let messages = soon(builder().transport(pipe).query(prompt)).await.unwrap();
        let items: Vec<_> = soon(messages.collect()).await;
        assert!(
            matches!(items.last(), Some(Err(error)) if error.is_result_lost()),
            "{items:?}"
        );
        agent.received().await;
    }
}

#[tokio::test]
async fn a_prompt_that_crosses_the_idle_line_keeps_its_turn() {
    // The CLI says that it is idle before it reads the second prompt, which it then takes up.
    let script = Script::new([
        Step::expect_prompt(),
        state("running"),
        result(&json!(["first"])),
        Step::expect_prompt(),
        state("idle"),
        Step::expect_request("get_binary_version"),
        state("running"),
        Step::Reply(json!({})),
        result(&json!(["second"])),
        state("idle"),
    ]);
    let (session, _agent) = connect(script).await;
    for name in ["first", "second"] {
        let prompt = UserMessage::prompt("Hi").uuid(MessageUuid::from(name));
        assert_eq!(soon(session.ask(prompt)).await.unwrap(), "raw");
    }
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_query_whose_result_is_lost_says_so() {
    let lost = Step::Turn(vec![Step::message([Block::text("so")]), Step::LoseResult]);
    let (messages, agent) = query(Script::new([lost])).await;
    let items: Vec<_> = soon(messages.collect()).await;
    assert!(
        matches!(items.last(), Some(Err(error)) if error.is_result_lost()),
        "{items:?}"
    );
    assert!(items[..items.len() - 1].iter().all(Result::is_ok));
    agent.received().await;
}

#[tokio::test]
async fn messages_take_everything_but_the_turns_result() {
    let (session, _agent) = connect(Script::new([says("one"), says("two")])).await;
    let mut messages = session.messages().unwrap();
    assert!(session.messages().unwrap_err().is_taken());
    let turn = all(session.send("1").await.unwrap()).await.unwrap();
    assert!(matches!(turn[..], [Message::ResultSuccess(_)]), "{turn:?}");
    let mut got = Vec::new();
    while got.len() < 2 {
        let message = next(&mut messages).await.unwrap().unwrap();
        if matches!(message, Message::Assistant(_)) || message.is_result() {
            got.push(message);
        }
    }
    assert_eq!(got[0].text(), "one");
    assert!(got[1].is_result());
    // Without them, turns are whole again.
    drop(messages);
    let turn = all(session.send("2").await.unwrap()).await.unwrap();
    assert!(turn.len() > 2, "{turn:?}");
}

#[tokio::test]
async fn a_query_ends_when_the_cli_rests() {
    // Work in the background comes back after the first result.
    let (messages, agent) = query(Script::new([
        Step::expect_prompt(),
        state("running"),
        result(&json!(null)),
        state("running"),
        result(&json!(null)),
        state("idle"),
    ]))
    .await;
    let results: Vec<_> = soon(messages.try_collect()).await.unwrap();
    assert_eq!(results.len(), 2);
    let received = agent.received().await;
    let subtypes: Vec<_> = received
        .iter()
        .map(|line| &line["request"]["subtype"])
        .collect();
    assert_eq!(
        subtypes,
        ["initialize", "", "end_session"]
            .map(|text| match text {
                "" => json!(null),
                text => json!(text),
            })
            .iter()
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_query_of_a_cli_without_states_ends_with_the_result() {
    let script = Script::new([Step::expect_prompt(), result(&json!(null))]);
    let (messages, agent) = query(script).await;
    let results: Vec<_> = soon(messages.try_collect()).await.unwrap();
    assert_eq!(results.len(), 1);
    agent.received().await;
}

#[tokio::test]
async fn a_prompt_that_the_cli_would_die_of_is_not_sent() {
    let (session, agent) = connect(Script::new([says("fine")])).await;
    let mut message = UserMessage::prompt("Hi");
    message.message.role = claw_client::types::api::Role::Assistant;
    let error = session.send(message).await.unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    soon(session.send("Hi").await.unwrap().result())
        .await
        .unwrap();
    soon(session.close()).await.unwrap();
    assert_eq!(
        agent
            .received()
            .await
            .iter()
            .filter(|line| line["type"] == "user")
            .count(),
        1
    );
}

#[tokio::test]
async fn the_prompt_goes_out_behind_the_handshake() {
    // An agent that takes the prompt before it answers `initialize`.
    let script = Script::new([
        Step::expect_request("initialize"),
        Step::expect_prompt(),
        Step::Line(json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": "claw-1", "response": {}}})),
        result(&json!(null)),
    ]);
    let (pipe, _agent) = crate::agent::Agent::start(script);
    let messages = soon(builder().transport(pipe).query("Hi")).await.unwrap();
    let results: Vec<_> = soon(messages.try_collect()).await.unwrap();
    assert_eq!(results.len(), 1);
}
