//! Calls and requests.

use std::time::Duration;

use claw_client::NamedCall;
use claw_client::types::Json;
use claw_client::types::control::EndSession;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::TryStreamExt;
use serde_json::{Value, json};

use crate::agent::{answers, builder, connect, connect_as, soon};

fn request(id: &str, body: &Value) -> Step {
    Step::Line(json!({"type": "control_request", "request_id": id, "request": body}))
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_not_the_session() {
    let held = Step::message([Block::text("one two three").hold(2, "half")]);
    let script = Script::new([Step::Turn(vec![held]), Step::Turn(vec![])]);
    let (session, agent) = connect(script).await;
    let turn = session.send("Count").await.unwrap();
    soon(agent.gates.reached("half")).await;
    let receipt = soon(session.interrupt()).await.unwrap().unwrap();
    assert!(receipt.still_queued.is_empty());
    let result = soon(turn.result()).await.unwrap();
    assert!(result.is_error());
    assert!(
        !soon(session.send("On").await.unwrap().result())
            .await
            .unwrap()
            .is_error()
    );
}

#[tokio::test]
async fn a_request_that_no_callback_serves_gets_its_answer() {
    let script = Script::new([
        request(
            "q1",
            &json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "?"}),
        ),
        request(
            "q2",
            &json!({"subtype": "hook_callback", "callback_id": "c", "input": {}}),
        ),
        request(
            "q3",
            &json!({"subtype": "mcp_message", "server_name": "s", "message": {}}),
        ),
        request("q4", &json!({"subtype": "brand_new"})),
        request("q5", &json!({"subtype": "remote_tool_call"})),
        request("q6", &json!({"subtype": "remote_plumbing_call"})),
        request("q7", &json!({"subtype": "remote_tools_probe"})),
        request("q8", &json!({"subtype": "remote_tools_reannounce"})),
        request(
            "q9",
            &json!({"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}}),
        ),
    ]);
    let (session, agent) = connect(script).await;
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert_eq!(
        answers(&received, "q1")[0]["response"],
        json!({"action": "decline"})
    );
    for (id, error) in [("q2", "hook"), ("q3", "MCP server"), ("q4", "brand_new")] {
        let answer = answers(&received, id)[0];
        assert_eq!(answer["subtype"], "error");
        assert!(
            answer["error"].as_str().unwrap().contains(error),
            "{answer}"
        );
    }
    assert_eq!(
        answers(&received, "q4")[0]["error_code"],
        "unsupported_request"
    );
    for id in ["q5", "q6", "q7", "q8", "q9"] {
        assert!(answers(&received, id).is_empty(), "{id}");
    }
}

#[tokio::test]
async fn a_refusal_has_its_code() {
    let script = Script::new([
        Step::expect_request("interrupt"),
        Step::Line(
            json!({"type": "control_response", "response": {"subtype": "error",
            "request_id": "$request_id", "error": "no", "error_code": "not_now"}}),
        ),
        Step::expect_request("interrupt"),
        Step::Reply(json!({"still_queued": 7})),
        Step::expect_request("interrupt"),
        Step::Reply(Value::Null),
    ]);
    let (session, _agent) = connect(script).await;
    let error = soon(session.interrupt()).await.unwrap_err();
    assert_eq!(error.code(), Some("not_now"));
    assert_eq!(error.to_string(), "claude refused interrupt: no");
    let error = soon(session.interrupt()).await.unwrap_err();
    assert!(error.is_bad_answer(), "{error}");
    assert_eq!(soon(session.interrupt()).await.unwrap(), None);
}

#[tokio::test]
async fn answers_come_in_any_order() {
    let answer = |id: &str| {
        Step::Line(
            json!({"type": "control_response", "response": {"subtype": "success",
            "request_id": id, "response": {"still_queued": [id]}}}),
        )
    };
    let script = Script::new([
        Step::expect_request("interrupt"),
        Step::expect_request("interrupt"),
        answer("claw-3"),
        answer("claw-3"),
        answer("nobody"),
        answer("claw-2"),
    ]);
    let (session, _agent) = connect(script).await;
    let both = futures::future::join(session.interrupt(), session.interrupt());
    let (first, second) = soon(both).await;
    assert_eq!(first.unwrap().unwrap().still_queued, ["claw-2"]);
    assert_eq!(second.unwrap().unwrap().still_queued, ["claw-3"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_never_answered_times_out() {
    let (session, _agent) =
        connect(Script::new([Step::expect_request("interrupt"), Step::Hang])).await;
    let begun = tokio::time::Instant::now();
    let error = session.interrupt().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 60);

    let builder = builder().initialize_timeout(Duration::from_secs(7));
    let (pipe, _agent) = crate::agent::Agent::start(Script::new([Step::Hang]));
    let begun = tokio::time::Instant::now();
    let error = builder.transport(pipe).connect().await.unwrap_err();
    assert!(
        error.is_timeout() && error.to_string().contains("did not answer initialize"),
        "{error}"
    );
    assert_eq!(begun.elapsed().as_secs(), 7);
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_the_handshake_stands_while_hooks_run() {
    let hook = |subtype: &str| {
        Step::Line(json!({"type": "system", "subtype": subtype, "hook_id": "h",
            "hook_name": "n", "hook_event": "SessionStart", "uuid": "$uuid",
            "session_id": "$session_id"}))
    };
    let script = Script::new([
        Step::expect_request("initialize"),
        hook("hook_started"),
        Step::gate("hook"),
        hook("hook_response"),
        Step::Hang,
    ]);
    let (pipe, agent) = crate::agent::Agent::start(script);
    let begun = tokio::time::Instant::now();
    let connecting = tokio::spawn(builder().transport(pipe).connect());
    agent.gates.reached("hook").await;
    tokio::time::advance(Duration::from_mins(5)).await;
    agent.gates.open("hook");
    assert!(connecting.await.unwrap().unwrap_err().is_timeout());
    assert_eq!(begun.elapsed().as_secs(), 6 * 60);
}

#[tokio::test]
async fn any_call_can_be_made() {
    let (session, agent) = connect(Script::new([])).await;
    assert_eq!(soon(session.call(EndSession::new())).await.unwrap(), None);
    agent.gone().await;
    let error = soon(session.interrupt()).await.unwrap_err();
    assert!(!error.is_timeout(), "{error}");
}

#[tokio::test]
async fn a_call_of_an_unknown_kind_is_made_by_its_name() {
    let script = Script::new([
        Step::expect_request("set_verbosity"),
        Step::Reply(json!({"level": "low"})),
        Step::expect_request("set_model"),
        Step::Reply(json!({})),
        Step::expect_request("set_noise"),
        Step::ReplyError("no noise".into()),
    ]);
    let (session, agent) = connect(script).await;
    let call = NamedCall::new("set_verbosity").field("level", json!({"at": [1]}));
    let call = call.field("subtype", json!("interrupt"));
    let answer: Json = soon(session.call(call)).await.unwrap();
    assert_eq!(answer, Json::from(json!({"level": "low"})));
    let call = NamedCall::new("set_model").field("model", json!("m"));
    soon(session.call(call)).await.unwrap();
    let error = soon(session.call(NamedCall::new("set_noise"))).await;
    assert!(error.unwrap_err().is_refused());
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let sent: Vec<_> = received
        .iter()
        .filter_map(|line| line.get("request"))
        .collect();
    assert_eq!(
        *sent[1],
        json!({"subtype": "set_verbosity", "level": {"at": [1]}})
    );
    assert_eq!(*sent[2], json!({"subtype": "set_model", "model": "m"}));
}

#[tokio::test]
async fn a_field_of_the_handshake_is_set_by_its_name() {
    let with = |name: &str| builder().initialize_field(name, json!({"at": [1]}));
    let (session, agent) = connect_as(with("verbosity"), Script::new([])).await;
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert_eq!(received[0]["request"]["verbosity"], json!({"at": [1]}));
    for known in ["hooks", "systemPrompt", "title", "subtype"] {
        let (pipe, agent) = crate::agent::Agent::start(Script::new([]));
        let error = soon(with(known).transport(pipe).connect()).await;
        let error = error.unwrap_err();
        assert!(error.is_launch_failure(), "{error}");
        assert!(error.to_string().contains(known), "{error}");
        assert!(agent.received().await.is_empty());
    }
}

#[tokio::test]
async fn an_answer_needs_no_reader() {
    let script = Script::new([Step::Turn(vec![Step::repeat(
        300,
        [Step::message([Block::text("unread")])],
    )])]);
    let (session, _agent) = connect_as(builder(), script).await;
    let turn = session.send("Go").await.unwrap();
    soon(session.interrupt()).await.unwrap();
    drop(turn);
}

#[tokio::test]
async fn a_handshake_that_is_answered_with_no_object_is_refused() {
    for answer in [json!(42), json!("yes"), json!([]), json!(true)] {
        let script = Script::new([
            Step::expect_request("initialize"),
            Step::Reply(answer.clone()),
        ]);
        let (pipe, _agent) = crate::agent::Agent::start(script);
        let error = soon(builder().transport(pipe).connect()).await.unwrap_err();
        assert!(error.is_bad_answer(), "{error}");
        let text = error.to_string();
        let names = text.contains("initialize") && text.contains(&answer.to_string());
        assert!(names, "{text}");
    }
}

#[tokio::test]
async fn a_handshake_that_is_refused_ends_the_session() {
    let script = || {
        Script::new([
            Step::expect_request("initialize"),
            Step::ReplyError("no such agent".into()),
        ])
    };
    let (pipe, _agent) = crate::agent::Agent::start(script());
    let error = soon(builder().transport(pipe).connect()).await.unwrap_err();
    assert!(error.is_refused(), "{error}");
    let (messages, _agent) = crate::agent::query(script()).await;
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    assert!(error.to_string().contains("no such agent"), "{error}");
}
