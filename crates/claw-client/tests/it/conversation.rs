//! What one says in a session, and what one hears.

use std::time::Duration;

use claw_client::types::control::{CancelAsyncMessage, McpStatus, PermissionResult};
use claw_client::types::message::Priority;
use claw_client::types::{Json, MessageUuid};
use claw_client::{IncomingRequest, Prompt, TurnResult};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::agent::{Agent, answers, builder, connect, connect_as, next, soon};
use crate::turns::result;

fn says(text: &str) -> Step {
    Step::Turn(vec![Step::message([Block::text(text)])])
}

/// A result line with this in it.
fn result_with(fields: &Value) -> Step {
    let Step::Line(mut line) = result(&json!(["$prompt_uuid"])) else {
        unreachable!("it is a line")
    };
    line.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    Step::Line(line)
}

/// A turn with this result and no other.
fn results_in(fields: &Value) -> Step {
    Step::Turn(vec![result_with(fields), Step::LoseResult])
}

#[tokio::test]
async fn asking_gives_the_text_or_the_failure() {
    let script = Script::new([
        says("four"),
        Step::Turn(vec![Step::fail("error_max_turns", "too many")]),
        Step::Turn(vec![Step::api_failure(
            401,
            "authentication_failed",
            "no key",
        )]),
    ]);
    let (session, _agent) = connect(script).await;
    assert_eq!(soon(session.ask("2 + 2?")).await.unwrap(), "four");
    let error = soon(session.ask("More")).await.unwrap_err();
    assert_eq!(error.to_string(), "the turn failed: too many");
    let error = soon(session.ask("More")).await.unwrap_err();
    assert!(
        error.is_turn_failed() && error.turn_result().unwrap().is_error(),
        "{error}"
    );
    assert_eq!(session.usage().results, 3);
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    /// The result of the addition.
    sum: i64,
}

#[tokio::test]
async fn output_is_read_as_what_was_asked_for() {
    let script = Script::new([
        results_in(&json!({"structured_output": {"sum": 4}})),
        results_in(&json!({"structured_output": {"sum": "four"}})),
        results_in(&json!({"result": "It is four."})),
        Step::Turn(vec![Step::fail(
            "error_max_structured_output_retries",
            "gave up",
        )]),
    ]);
    let (session, agent) = connect_as(builder().output_as::<Sum>(), script).await;
    assert_eq!(
        soon(session.ask_as::<Sum>("2 + 2?")).await.unwrap(),
        Sum { sum: 4 }
    );
    let error = soon(session.ask_as::<Sum>("?")).await.unwrap_err();
    assert!(error.is_output(), "{error}");
    let Some(TurnResult::Success(result)) = error.turn_result() else {
        panic!("{error}")
    };
    let output = result.structured_output.as_ref().unwrap();
    assert_eq!(output.to_value().unwrap(), json!({"sum": "four"}));
    let error = soon(session.ask_as::<Sum>("?")).await.unwrap_err();
    assert!(
        error.is_output() && error.turn_result().unwrap().text() == "It is four.",
        "{error}"
    );
    let error = soon(session.ask_as::<Sum>("?")).await.unwrap_err();
    assert!(error.is_turn_failed(), "{error}");
    // Another form than the session was built for.
    let error = soon(session.ask_as::<Vec<Sum>>("?")).await.unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let schema = &received[0]["request"]["jsonSchema"];
    assert_eq!(
        schema["properties"]["sum"]["description"],
        "The result of the addition."
    );
    assert_eq!(
        received
            .iter()
            .filter(|line| line["type"] == "user")
            .count(),
        4
    );
}

#[tokio::test]
async fn text_comes_as_it_is_written_and_once() {
    for partial in [true, false] {
        let mut script = Script::new([Step::Turn(vec![
            Step::message([Block::text("one two "), Block::text("three")]),
            Step::message([Block::tool_use("Bash", json!({"command": "true"}))]),
            Step::tool_result("not this"),
            Step::message([Block::text(" four")]),
        ])]);
        script.partial_messages = partial;
        let (session, _agent) = connect(script).await;
        let mut text = session.send("Go").await.unwrap().text_stream();
        let pieces: Vec<String> = soon(text.by_ref().try_collect()).await.unwrap();
        assert_eq!(pieces.concat(), "one two three four");
        assert_eq!(pieces.len() > 3, partial, "{pieces:?}");
        assert!(!text.result().unwrap().is_error());
    }
}

#[tokio::test]
async fn a_prompt_that_was_merged_says_into_which() {
    let named = |uuid: &str| {
        let prompt = claw_client::types::message::UserMessage::prompt("Go");
        Prompt::from(prompt.uuid(uuid))
    };
    let script = Script::new([
        Step::expect_prompt(),
        Step::expect_prompt(),
        result(&json!(["p1", "p2"])),
        says("alone"),
    ]);
    let (session, _agent) = connect(script).await;
    let mut one = session.send(named("p1")).await.unwrap();
    let mut two = session.send(named("p2")).await.unwrap();
    assert_eq!(two.prompt_uuid().as_str(), "p2");
    assert_eq!(
        soon(two.last()).await.unwrap(),
        soon(one.last()).await.unwrap()
    );
    assert_eq!(two.merged_into().map(MessageUuid::as_str), Some("p1"));
    assert_eq!(one.merged_into(), None);
    assert!(soon(one.last()).await.unwrap_err().is_result_lost());
    let mut alone = session.send("Go").await.unwrap();
    soon(alone.last()).await.unwrap();
    assert_eq!(alone.merged_into(), None);
}

#[tokio::test]
async fn a_prompt_says_how_it_is_taken_and_can_be_taken_back() {
    let script = Script::new([
        Step::expect_prompt(),
        Step::expect_prompt(),
        Step::expect_request("cancel_async_message"),
        Step::Reply(json!({"cancelled": true})),
    ]);
    let (session, agent) = connect(script).await;
    let now = Prompt::from("Stop").priority(Priority::Now);
    let aside = Prompt::from("By the way").without_answer();
    drop(session.send(now).await.unwrap());
    let turn = session.send(aside).await.unwrap();
    assert!(soon(turn.cancel()).await.unwrap().cancelled);
    let uuid = turn.prompt_uuid().to_string();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let prompts: Vec<_> = received
        .iter()
        .filter(|line| line["type"] == "user")
        .collect();
    assert_eq!(prompts[0]["priority"], "now");
    assert_eq!(
        (&prompts[1]["shouldQuery"], &prompts[1]["uuid"]),
        (&json!(false), &json!(uuid))
    );
    let cancel = received
        .iter()
        .find(|line| line["request"]["subtype"] == "cancel_async_message");
    assert_eq!(cancel.unwrap()["request"]["message_uuid"], json!(uuid));
}

#[tokio::test]
async fn prompts_come_one_after_the_other_until_there_are_no_more() {
    let echo = Script::new([Step::Turns(vec![Step::message([Block::text("heard")])])]);
    let (pipe, agent) = Agent::start(echo);
    let (prompts, typed) = mpsc::unbounded_channel::<&str>();
    let coming = stream::unfold(typed, |mut typed| async move {
        Some((typed.recv().await?, typed))
    });
    let mut query = soon(builder().transport(pipe).query_all(coming))
        .await
        .unwrap();
    let mut results = 0;
    for (number, prompt) in ["one", "two", "three"].into_iter().enumerate() {
        prompts.send(prompt).unwrap();
        while results == number {
            let message = next(&mut query).await.unwrap().unwrap();
            results += usize::from(message.is_result());
        }
    }
    drop(prompts);
    assert!(
        next(&mut query)
            .await
            .unwrap()
            .is_none_or(|m| !m.is_result())
    );
    let received = agent.received().await;
    assert_eq!(
        received
            .iter()
            .filter(|line| line["type"] == "user")
            .count(),
        3
    );
    let last = received.last().unwrap();
    assert_eq!(last["request"]["subtype"], "end_session");
}

#[tokio::test]
async fn no_prompts_at_all_are_an_end() {
    let (pipe, agent) = Agent::start(Script::reply("never"));
    let none = stream::empty::<Prompt>();
    let query = soon(builder().transport(pipe).query_all(none))
        .await
        .unwrap();
    let messages: Vec<_> = soon(query.try_collect()).await.unwrap();
    assert!(messages.is_empty(), "{messages:?}");
    agent.gone().await;
}

#[tokio::test]
async fn a_call_has_a_time_of_its_own_and_tells_when_nobody_waits() {
    let script = Script::new([
        Step::expect_request("mcp_status"),
        Step::expect_request("mcp_status"),
        Step::gate("never"),
    ]);
    let (session, agent) = connect(script).await;
    let short = Duration::from_millis(20);
    let error = soon(session.call(McpStatus::new()).timeout(short))
        .await
        .unwrap_err();
    assert!(
        error.is_timeout() && error.to_string().ends_with(&format!("{short:?}")),
        "{error}"
    );
    // Polled once, and dropped.
    let dropped = session.call(McpStatus::new());
    assert!(futures::FutureExt::now_or_never(dropped).is_none());
    // Not polled: not asked.
    drop(session.call(CancelAsyncMessage::new("nobody")));
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let named = |line: &&Value| line["request"]["subtype"] == "mcp_status";
    let asked: Vec<_> = received
        .iter()
        .filter(named)
        .map(|line| &line["request_id"])
        .collect();
    let taken_back = received
        .iter()
        .filter(|line| line["type"] == "control_cancel_request");
    let taken_back: Vec<_> = taken_back.map(|line| &line["request_id"]).collect();
    assert_eq!((asked.len(), &taken_back), (2, &asked));
    assert!(
        !received
            .iter()
            .any(|line| line["request"]["subtype"] == "cancel_async_message")
    );
}

#[tokio::test]
async fn a_new_handshake_brings_the_requests_that_wait() {
    let request = |id: &str| {
        json!({"type": "control_request", "request_id": id, "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"}})
    };
    let script = Script::new([
        Step::expect_initialize(),
        Step::Initialized,
        Step::Line(request("q1")),
        Step::expect_initialize(),
        Step::Line(
            json!({"type": "control_response", "response": {"subtype": "success",
            "request_id": "$request_id", "response": {"commands": [], "agents": [], "output_style": "default",
                "available_output_styles": [], "models": [], "account": {}},
            "pending_permission_requests": [request("q1"), request("q2")]}}),
        ),
    ]);
    let builder = builder().answer_requests().output_as::<Sum>();
    let (session, agent) = connect_as(builder, script).await;
    let mut requests = session.requests().unwrap();
    let mut asked = Vec::new();
    let mut next = async || match soon(requests.next()).await {
        Some(IncomingRequest::Permission(request, responder)) => {
            asked.push(request.request_id.to_string());
            responder
        }
        other => panic!("{other:?}"),
    };
    let first = next().await;
    assert_eq!(
        soon(session.reinitialize()).await.unwrap().output_style,
        "default"
    );
    // It is worked on, so that it is not asked again; the other one is new.
    let second = next().await;
    first.answer(PermissionResult::allow());
    second.answer(PermissionResult::deny("no"));
    assert_eq!(asked, ["q1", "q2"]);
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    for id in ["q1", "q2"] {
        assert_eq!(answers(&received, id).len(), 1, "{id}");
    }
    let said: Vec<_> = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "initialize")
        .map(|line| Json::from(line["request"].clone()))
        .collect();
    assert_eq!(said.len(), 2);
    assert_eq!(said[0], said[1]);
}
