//! `ask` gives a prompt its own answer, or an error.

use claw_client::Session;
use claw_client::types::MessageUuid;
use claw_client::types::control::SetModel;
use claw_client::types::message::UserMessage;
use claw_testkit::agent::{Script, Step};
use futures::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};

use crate::agent::{builder, connect, connect_as, soon};
use crate::turns::result;

fn named(uuid: &str) -> UserMessage {
    UserMessage::prompt(format!("I am {uuid}.")).uuid(uuid)
}

/// A turn that stays open until its gate is opened, and then answers with its prompt.
fn echo(gate: &str) -> Step {
    let Step::Line(mut line) = result(&json!(["$prompt_uuid"])) else {
        unreachable!("it is a line")
    };
    line["result"] = json!("$prompt");
    Step::Turn(vec![Step::gate(gate), Step::Line(line), Step::LoseResult])
}

/// The prompts and the requests that the agent was sent, in order, without the first and the last.
fn heard(received: &[Value]) -> Vec<&str> {
    received
        .iter()
        .filter_map(|line| {
            line["uuid"]
                .as_str()
                .or_else(|| line["request"]["model"].as_str())
        })
        .collect()
}

/// Leaves a mark among the lines that the agent is sent, behind all that was asked for before.
async fn mark(session: &Session, name: &str) {
    // The agent refuses it.
    soon(session.call(SetModel::new().model(name)))
        .await
        .unwrap_err();
}

#[tokio::test]
async fn prompts_go_out_one_after_the_other_in_the_order_in_which_they_were_asked() {
    let script = Script::new([echo("a"), echo("b"), echo("c")]);
    let (session, agent) = connect(script).await;
    let mut asks = stream::FuturesOrdered::new();
    for name in ["a", "b", "c"] {
        let mut ask = session.ask(named(name)).boxed();
        assert!(futures::poll!(&mut ask).is_pending());
        asks.push_back(ask);
    }
    for name in ["a", "b", "c"] {
        soon(agent.gates.reached(name)).await;
        mark(&session, &format!("while {name} runs")).await;
        agent.gates.open(name);
    }
    for name in ["a", "b", "c"] {
        let answer = soon(asks.next()).await.unwrap().unwrap();
        assert_eq!(answer, format!("I am {name}."));
    }
    soon(session.close()).await.unwrap();
    assert_eq!(
        heard(&agent.received().await),
        [
            "a",
            "while a runs",
            "b",
            "while b runs",
            "c",
            "while c runs"
        ]
    );
}

#[tokio::test]
async fn an_ask_waits_for_the_turn_of_a_prompt_that_was_sent() {
    let (session, agent) = connect(Script::new([echo("sent"), echo("asked")])).await;
    // Its turn runs on without a reader.
    drop(session.send(named("sent")).await.unwrap());
    let mut ask = session.ask(named("asked")).boxed();
    assert!(futures::poll!(&mut ask).is_pending());
    soon(agent.gates.reached("sent")).await;
    mark(&session, "while sent runs").await;
    agent.gates.open("sent");
    agent.gates.open("asked");
    assert_eq!(soon(ask).await.unwrap(), "I am asked.");
    soon(session.close()).await.unwrap();
    assert_eq!(
        heard(&agent.received().await),
        ["sent", "while sent runs", "asked"]
    );
}

#[tokio::test]
async fn an_ask_that_is_dropped_in_the_queue_is_not_sent() {
    let (session, agent) = connect(Script::new([echo("a"), echo("c")])).await;
    let mut asks = ["a", "b", "c"].map(|name| session.ask(named(name)).boxed());
    for ask in &mut asks {
        assert!(futures::poll!(ask).is_pending());
    }
    let [first, second, third] = asks;
    soon(agent.gates.reached("a")).await;
    drop(second);
    // One that was sent goes on, and the next one waits for its end.
    drop(first);
    mark(&session, "while a runs").await;
    agent.gates.open("a");
    agent.gates.open("c");
    assert_eq!(soon(third).await.unwrap(), "I am c.");
    soon(session.close()).await.unwrap();
    assert_eq!(heard(&agent.received().await), ["a", "while a runs", "c"]);
}

#[tokio::test]
async fn an_answer_to_another_prompt_as_well_is_an_error_that_has_it() {
    let both = Script::new([
        Step::expect_prompt(),
        Step::expect_prompt(),
        result(&json!(["asked", "sent"])),
    ]);
    let (session, _agent) = connect(both).await;
    let mut ask = session.ask(named("asked")).boxed();
    assert!(futures::poll!(&mut ask).is_pending());
    let mut sent = session.send(named("sent")).await.unwrap();
    let error = soon(ask).await.unwrap_err();
    assert!(error.is_merged(), "{error}");
    let answer = error.turn_result().unwrap();
    assert_eq!(answer.text(), "raw");
    let prompts: Vec<_> = answer.prompts().iter().map(MessageUuid::as_str).collect();
    assert_eq!(prompts, ["asked", "sent"]);
    assert_eq!(soon(sent.last()).await.unwrap(), *answer);
    assert!(sent.merged_into().is_some());
}

#[tokio::test]
async fn asks_that_wait_end_with_the_session() {
    let (session, agent) = connect(Script::new([echo("never")])).await;
    let mut asks = ["a", "b", "c"].map(|name| session.ask(named(name)).boxed());
    for ask in &mut asks {
        assert!(futures::poll!(ask).is_pending());
    }
    soon(agent.gates.reached("never")).await;
    soon(session.close()).await.unwrap();
    for ask in asks {
        assert!(soon(ask).await.is_err());
    }
    assert_eq!(heard(&agent.received().await), ["a"]);
}

/// Behind more than 8 MiB of prompts, one waits outside of the queue.
#[tokio::test]
async fn the_queue_is_bounded_and_everyone_in_line_is_answered() {
    const LARGE: usize = 5 << 20;
    let script = Script::new([echo("a"), echo("b"), echo("c"), echo("d")]);
    let (session, agent) = connect(script).await;
    let mut asks = stream::FuturesOrdered::new();
    for name in ["a", "b", "c", "d"] {
        let text = format!("{name}{}", "x".repeat(LARGE));
        let prompt = UserMessage::prompt(text).uuid(name);
        let mut ask = session.ask(prompt).boxed();
        assert!(futures::poll!(&mut ask).is_pending());
        asks.push_back(ask);
        agent.gates.open(name);
    }
    for name in ["a", "b", "c", "d"] {
        let answer = soon(asks.next()).await.unwrap().unwrap();
        assert!(answer.starts_with(name) && answer.len() == LARGE + 1);
    }
    soon(session.close()).await.unwrap();
    assert_eq!(heard(&agent.received().await), ["a", "b", "c", "d"]);
}

/// Nobody reads the messages, so that no answer can come: everyone in the queue is told.
#[tokio::test]
async fn asks_that_wait_are_told_when_nothing_can_be_read() {
    let flood = Step::Turn(vec![
        Step::gate("flood"),
        Step::Text(format!(
            "{{\"type\":\"news\",\"text\":\"{}\"}}",
            "x".repeat(1 << 20)
        )),
        Step::gate("never"),
    ]);
    let builder = builder().buffer(1 << 18);
    let (session, agent) = connect_as(builder, Script::new([flood])).await;
    let _messages = session.messages().unwrap();
    let mut asks = ["a", "b"].map(|name| session.ask(named(name)).boxed());
    for ask in &mut asks {
        assert!(futures::poll!(ask).is_pending());
    }
    soon(agent.gates.reached("flood")).await;
    agent.gates.open("flood");
    for ask in asks {
        let error = soon(ask).await.unwrap_err();
        assert!(error.is_backlogged(), "{error}");
    }
}
