//! The agent over a pipe in memory.

use std::time::Duration;

use claw_testkit::{
    Block,
    agent::{AgentError, Script, Step, Style},
};
use claw_types::{StdoutMessage, from_line};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, time::Instant};

use crate::client::{kind, kinds, start, start_with_buffer};

/// The demo without its pauses.
fn demo() -> Script {
    Script::demo().pace(Duration::ZERO)
}

#[tokio::test]
async fn a_turn_has_the_lines_of_a_turn() {
    let (mut client, _, running) = start(Script::reply("Hello there"));
    client.request("r1", json!({"subtype": "initialize"})).await;
    let answer = client.next().await.unwrap();
    assert_eq!(kind(&answer), "answer r1");
    assert_eq!(
        answer["response"]["response"]["claude_code_version"],
        claw_types::CLI_VERSION
    );
    client.prompt("p1").await;
    let lines = client.until("idle").await;
    assert_eq!(
        kinds(&lines),
        [
            "running",
            "p1 queued",
            "p1 started",
            "init",
            "status",
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "assistant",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "result success",
            "p1 completed",
            "idle"
        ]
    );
    assert_eq!(
        lines[9]["message"]["content"],
        json!([{"type": "text", "text": "Hello there"}])
    );
    let result = &lines[13];
    assert_eq!(result["result"], "Hello there");
    assert_eq!(result["user_message_uuids"], json!(["p1"]));
    assert_eq!(
        (&result["num_turns"], &result["result_index"]),
        (&json!(1), &json!(0))
    );
    client.writer.shutdown().await.unwrap();
    let outcome = running.await.unwrap().unwrap();
    assert_eq!((outcome.code, outcome.received.len()), (0, 2));
    assert_eq!(outcome.received[1]["uuid"], "p1");
}

#[tokio::test]
async fn every_run_is_the_same() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let (mut client, _, _running) = start(demo());
        client.prompt("p1").await;
        let mut lines = client.until("can_use_tool").await;
        let ask = lines.last().unwrap().clone();
        client.decide(&ask, json!({"behavior": "allow"})).await;
        lines.extend(client.until("idle").await);
        runs.push(lines);
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn the_demo_goes_on_when_it_is_allowed() {
    let (mut client, _, _running) = start(demo());
    client.prompt("p1").await;
    let ask = client.until("can_use_tool").await.pop().unwrap();
    assert_eq!(ask["request"]["tool_name"], "Bash");
    assert_eq!(ask["request"]["input"]["command"], "ls | wc -l");
    client
        .decide(&ask, json!({"behavior": "allow", "updatedInput": {}}))
        .await;
    let lines = client.until("idle").await;
    assert_eq!(kinds(&lines)[..3], ["message_stop", "running", "user"]);
    let result = &lines[2]["message"]["content"][0];
    assert_eq!(
        (&result["content"], &result["is_error"]),
        (&json!("7"), &json!(false))
    );
    assert_eq!(lines[2]["tool_use_result"]["stdout"], "7");
    assert_eq!(
        lines[2]["tool_result_meta"][0]["permission_decision"]["decision"],
        "accept"
    );
    let end = lines.iter().find(|line| line["type"] == "result").unwrap();
    assert_eq!(end["permission_denials"], json!([]));
    assert_eq!(end["num_turns"], 2);
    assert!(end["result"].as_str().unwrap().contains("seven"));
}

#[tokio::test]
async fn the_demo_ends_otherwise_when_it_is_denied() {
    let (mut client, _, _running) = start(demo());
    client.prompt("p1").await;
    let ask = client.until("can_use_tool").await.pop().unwrap();
    client
        .decide(&ask, json!({"behavior": "deny", "message": "not today"}))
        .await;
    let lines = client.until("idle").await;
    let result = &lines[2]["message"]["content"][0];
    assert_eq!(
        (&result["content"], &result["is_error"]),
        (&json!("not today"), &json!(true))
    );
    let end = lines.iter().find(|line| line["type"] == "result").unwrap();
    assert_eq!(end["subtype"], "success");
    assert_eq!(end["permission_denials"][0]["tool_use_id"], "toolu_0001");
    assert!(end["result"].as_str().unwrap().contains("did not let me"));
}

#[tokio::test]
async fn answers_that_say_nothing_deny() {
    let answers = [
        (
            json!({"subtype": "error", "error": "boom"}),
            "Tool permission request failed: Error: boom",
        ),
        (
            json!({"subtype": "success", "response": {"behavior": "maybe"}}),
            "invalid permission result",
        ),
    ];
    for (mut response, expected) in answers {
        let (mut client, _, _running) = start(demo());
        client.prompt("p1").await;
        let ask = client.until("can_use_tool").await.pop().unwrap();
        response["request_id"] = ask["request_id"].clone();
        client
            .send(&json!({"type": "control_response", "response": response}))
            .await;
        let user = client.until("user").await.pop().unwrap();
        let content = &user["message"]["content"][0];
        assert!(
            content["content"].as_str().unwrap().contains(expected),
            "{content}"
        );
        assert_eq!(content["is_error"], true);
    }
}

#[tokio::test]
async fn a_question_left_open_by_the_end_of_input_is_denied() {
    let (mut client, _, running) = start(demo());
    client.prompt("p1").await;
    client.until("can_use_tool").await;
    client.writer.shutdown().await.unwrap();
    let lines = client.rest().await;
    let user = lines.iter().find(|line| line["type"] == "user").unwrap();
    assert!(
        user["tool_use_result"]
            .as_str()
            .unwrap()
            .contains("stream closed")
    );
    assert_eq!(kinds(&lines).last().unwrap(), "idle");
    assert_eq!(running.await.unwrap().unwrap().code, 0);
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_not_the_session() {
    let held = Step::message([Block::text("one two three").hold(2, "half")]);
    let script = Script::new([Step::Turn(vec![held]), Step::Turn(vec![])]);
    let (mut client, gates, running) = start(script);
    client.prompt("p1").await;
    gates.reached("half").await;
    client.request("r1", json!({"subtype": "interrupt"})).await;
    let lines = client.until("idle").await;
    let from = kinds(&lines)
        .iter()
        .position(|kind| kind == "answer r1")
        .unwrap();
    let lines = &lines[from..];
    assert_eq!(
        kinds(lines),
        [
            "answer r1",
            "assistant",
            "user",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "result error_during_execution",
            "p1 cancelled",
            "idle"
        ]
    );
    assert_eq!(
        lines[0]["response"]["response"],
        json!({"still_queued": []})
    );
    assert_eq!(lines[1]["aborted"], true);
    assert_eq!(lines[1]["message"]["content"][0]["text"], "one two ");
    assert_eq!(
        lines[2]["message"]["content"][0]["text"],
        "[Request interrupted by user]"
    );
    assert_eq!(lines[6]["terminal_reason"], "aborted_streaming");
    assert_eq!(
        (&lines[6]["is_error"], &lines[6]["num_turns"]),
        (&json!(true), &json!(2))
    );
    client.prompt("p2").await;
    client.until("result success").await;
    client.writer.shutdown().await.unwrap();
    assert_eq!(running.await.unwrap().unwrap().code, 0);
}

#[tokio::test]
async fn an_interrupt_takes_a_question_back() {
    let (mut client, _, running) = start(demo());
    client.prompt("p1").await;
    let ask = client.until("can_use_tool").await.pop().unwrap();
    client.request("r1", json!({"subtype": "interrupt"})).await;
    let lines = client.until("idle").await;
    assert_eq!(
        kinds(&lines),
        [
            "message_stop",
            "control_cancel_request",
            "answer r1",
            "running",
            "user",
            "user",
            "result error_during_execution",
            "p1 cancelled",
            "idle"
        ]
    );
    assert_eq!(lines[1]["request_id"], ask["request_id"]);
    assert_eq!(
        lines[4]["tool_result_meta"][0]["non_execution_kind"],
        "user-rejected"
    );
    assert_eq!(lines[6]["terminal_reason"], "aborted_tools");
    assert_eq!(lines[6]["permission_denials"].as_array().unwrap().len(), 1);
    client.writer.shutdown().await.unwrap();
    // The last result was an error.
    assert_eq!(running.await.unwrap().unwrap().code, 1);
}

#[tokio::test]
async fn a_denial_may_interrupt() {
    let (mut client, _, _running) = start(demo());
    client.prompt("p1").await;
    let ask = client.until("can_use_tool").await.pop().unwrap();
    let decision = json!({"behavior": "deny", "message": "stop", "interrupt": true});
    client.decide(&ask, decision).await;
    let end = client
        .until("result error_during_execution")
        .await
        .pop()
        .unwrap();
    assert_eq!(end["terminal_reason"], "aborted_tools");
    assert_eq!(end["permission_denials"].as_array().unwrap().len(), 1);
    assert_eq!(end["num_turns"], 3);
}

#[tokio::test]
async fn end_session_is_answered_and_ends_it() {
    let (mut client, _, running) = start(demo());
    client
        .request("r1", json!({"subtype": "end_session"}))
        .await;
    let expected = json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "r1"}
    });
    assert_eq!(client.rest().await, [expected]);
    assert_eq!(running.await.unwrap().unwrap().code, 0);
}

#[tokio::test]
async fn end_session_breaks_a_turn_off() {
    let (mut client, _, running) = start(demo());
    client.prompt("p1").await;
    client.until("can_use_tool").await;
    client
        .request("r1", json!({"subtype": "end_session"}))
        .await;
    let lines = client.rest().await;
    assert_eq!(kinds(&lines)[1..3], ["control_cancel_request", "answer r1"]);
    assert!(kinds(&lines).contains(&"result error_during_execution".to_owned()));
    assert_eq!(running.await.unwrap().unwrap().code, 1);
}

#[tokio::test]
async fn what_it_does_not_know_is_unsupported() {
    let (mut client, _, _running) = start(demo());
    client.send(&json!({"type": "keep_alive"})).await;
    client.send(&json!([1, 2])).await;
    client
        .send(&json!({"type": "control_response", "response": {}}))
        .await;
    client.writer.write_all(b"\r\n").await.unwrap();
    client.request("r1", json!({"subtype": "frobnicate"})).await;
    let answer = client.next().await.unwrap();
    assert_eq!(answer["response"]["subtype"], "error");
    assert_eq!(answer["response"]["error_code"], "unsupported_request");
    assert_eq!(
        answer["response"]["error"],
        "Unsupported control request subtype: frobnicate"
    );
    client.request("r2", json!({"subtype": "interrupt"})).await;
    assert_eq!(kind(&client.next().await.unwrap()), "answer r2");
}

#[tokio::test]
async fn half_an_emoji_is_no_reason_to_give_up() {
    let (mut client, _, running) = start(Script::reply("Hi"));
    let prompt = r#"{"type":"user","uuid":"p1","message":{"role":"user","content":"cut \ud83d"},"parent_tool_use_id":null,"session_id":""}"#;
    client
        .writer
        .write_all(format!("{prompt}\n").as_bytes())
        .await
        .unwrap();
    client.until("p1 completed").await;
    client.writer.shutdown().await.unwrap();
    let received = running.await.unwrap().unwrap().received;
    assert_eq!(received[0]["message"]["content"], "cut \u{fffd}");
}

/// All that the agent can say of itself.
async fn everything() -> Vec<Value> {
    let bash = Block::tool_use("Bash", json!({"command": "true", "description": "Nothing"}));
    let thinking = Block::thinking("So so.", "c2ln");
    let asking = [
        Step::message([thinking, Block::text("I ask."), bash]),
        Step::permission([Step::tool_result("done")], []),
        Step::message([Block::text("The end.").hold(1, "held")]),
    ];
    let refuse = Step::api_failure(401, "authentication_failed", "Invalid API key");
    let script = Script::new([
        Step::Turn(asking.to_vec()),
        Step::Turn(asking.to_vec()),
        Step::Turn(asking.to_vec()),
        Step::Turn(vec![Step::fail("error_max_turns", "Too many")]),
        Step::Turn(vec![refuse]),
    ]);
    let (mut client, gates, _running) = start(script);
    client.request("r1", json!({"subtype": "initialize"})).await;
    client.request("r2", json!({"subtype": "frobnicate"})).await;
    // The first is allowed and then interrupted.
    client.prompt("p1").await;
    let mut lines = client.until("can_use_tool").await;
    client
        .decide(lines.last().unwrap(), json!({"behavior": "allow"}))
        .await;
    gates.reached("held").await;
    client.request("r3", json!({"subtype": "interrupt"})).await;
    lines.extend(client.until("idle").await);
    gates.open("held");
    // The second is denied, the third interrupted before the answer.
    client.prompt("p2").await;
    lines.extend(client.until("can_use_tool").await);
    let denial = json!({"behavior": "deny", "message": "no"});
    client.decide(lines.last().unwrap(), denial).await;
    lines.extend(client.until("idle").await);
    client.prompt("p3").await;
    lines.extend(client.until("can_use_tool").await);
    client
        .request("r4", json!({"subtype": "interrupt", "cancel_queued": true}))
        .await;
    for prompt in ["p4", "p5"] {
        lines.extend(client.until("idle").await);
        client.prompt(prompt).await;
    }
    lines.extend(client.until("idle").await);
    client
        .request("r5", json!({"subtype": "end_session"}))
        .await;
    lines.extend(client.rest().await);
    lines
}

#[tokio::test]
async fn claw_types_knows_what_it_says() {
    let lines = everything().await;
    let results = lines.iter().filter(|line| line["type"] == "result").count();
    assert_eq!(results, 5);
    for line in lines {
        let typed: StdoutMessage = from_line(line.to_string().as_bytes())
            .unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(serde_json::to_value(&typed).unwrap(), line);
    }
}

#[tokio::test]
async fn prompts_queue_and_their_uuids_count_once() {
    let turn = Step::message([Block::text("Hi").hold(0, "go")]);
    let (mut client, gates, _running) = start(Script::new([Step::Turns(vec![turn])]));
    client.prompt("p1").await;
    gates.reached("go").await;
    client.prompt("p1").await;
    client.prompt("p2").await;
    client.until("p2 queued").await;
    gates.open("go");
    let lines = client.until("idle").await;
    let kinds = kinds(&lines);
    let from = kinds
        .iter()
        .position(|kind| kind == "result success")
        .unwrap();
    assert_eq!(lines[from]["queued_turn_count"], 1);
    // Straight on to the next prompt, without being idle or running again.
    assert_eq!(
        kinds[from + 1..from + 4],
        ["p1 completed", "p2 started", "init"]
    );
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| *kind == "result success")
            .count(),
        2
    );
    assert_eq!(kinds.iter().filter(|kind| *kind == "running").count(), 0);
}

#[tokio::test]
async fn an_interrupt_can_empty_the_queue() {
    let turn = Step::message([Block::text("Hi").hold(0, "never")]);
    let (mut client, gates, _running) = start(Script::new([Step::Turns(vec![turn])]));
    client.prompt("p1").await;
    gates.reached("never").await;
    client.prompt("p2").await;
    client
        .request("r1", json!({"subtype": "interrupt", "cancel_queued": true}))
        .await;
    let lines = client.until("idle").await;
    let answer = lines.iter().find(|line| kind(line) == "answer r1").unwrap();
    let receipt = json!({"still_queued": [], "cancelled": ["p2"]});
    assert_eq!(answer["response"]["response"], receipt);
    assert!(kinds(&lines).contains(&"p2 cancelled".to_owned()));
    assert!(!kinds(&lines).contains(&"p2 started".to_owned()));
}

#[tokio::test]
async fn every_style_says_the_same() {
    let mut said = Vec::new();
    for style in [
        Style::Compact,
        Style::Spaced,
        Style::Reordered,
        Style::Escaped,
    ] {
        let (mut client, _, _running) = start(Script::reply("Hi").style(style));
        client.prompt("p1").await;
        said.push(client.until("idle").await);
    }
    assert!(said.iter().all(|lines| *lines == said[0]));
}

#[tokio::test]
async fn styles_change_in_mid_script() {
    let request = json!({"type": "control_request", "request_id": "$uuid", "request": {}});
    let script = Script::new([Step::Style(Style::Escaped), Step::Line(request)]);
    let (mut client, _, _running) = start(script);
    let line = client.next_text().await.unwrap();
    assert!(
        line.contains("contr") && !line.contains("control_request"),
        "{line}"
    );
    assert_eq!(line.parse::<Value>().unwrap()["type"], "control_request");
}

#[tokio::test]
async fn scripts_expect_reply_and_fill_in() {
    let script = Script::new([
        Step::expect_request("get_settings"),
        Step::Reply(json!({"effective": {}})),
        Step::expect_request("set_model"),
        Step::ReplyError("no".to_owned()),
        Step::expect_request("seed_read_state"),
        Step::Reply(Value::Null),
        Step::Turn(vec![Step::Line(
            json!({"type": "x", "of": "$prompt_uuid", "said": "$prompt", "id": "$request_id"}),
        )]),
        Step::Text("stray text with \"$session_id\"".to_owned()),
        Step::Exit(7),
    ]);
    let (mut client, _, running) = start(script);
    // Comes first, is not expected, and so is answered as always.
    client.request("r0", json!({"subtype": "initialize"})).await;
    client
        .request("r1", json!({"subtype": "get_settings"}))
        .await;
    client.request("r2", json!({"subtype": "set_model"})).await;
    client
        .request("r3", json!({"subtype": "seed_read_state"}))
        .await;
    client.prompt("p1").await;
    assert_eq!(kind(&client.next().await.unwrap()), "answer r0");
    assert_eq!(
        client.next().await.unwrap()["response"]["response"],
        json!({"effective": {}})
    );
    assert_eq!(client.next().await.unwrap()["response"]["error"], "no");
    let expected = json!({"subtype": "success", "request_id": "r3"});
    assert_eq!(client.next().await.unwrap()["response"], expected);
    let line = client.until("x").await.pop().unwrap();
    assert_eq!(
        line,
        json!({"type": "x", "of": "p1", "said": "Hello", "id": "r3"})
    );
    client.until("idle").await;
    let stray = client.next_text().await.unwrap();
    assert!(stray.starts_with("stray text with \"5e55"), "{stray}");
    assert_eq!(running.await.unwrap().unwrap().code, 7);
}

#[tokio::test]
async fn the_answer_to_initialize_can_be_late() {
    let steps = [
        Step::expect_request("initialize"),
        Step::gate("late"),
        Step::Initialized,
    ];
    let (mut client, gates, _running) = start(Script::new(steps));
    client.request("r1", json!({"subtype": "initialize"})).await;
    gates.reached("late").await;
    // Others are answered meanwhile.
    client.request("r2", json!({"subtype": "interrupt"})).await;
    assert_eq!(kind(&client.next().await.unwrap()), "answer r2");
    gates.open("late");
    let answer = client.next().await.unwrap();
    assert_eq!(answer["response"]["request_id"], "r1");
    assert_eq!(answer["response"]["response"]["session_state"], "idle");
}

#[tokio::test]
async fn the_agent_asks_whatever_it_is_told_to() {
    let ask = json!({
        "type": "control_request", "request_id": "ask-1",
        "request": {"subtype": "hook_callback", "callback_id": "hook_0", "input": {}}
    });
    let answer = r#"{"expect": {"type": "control_response", "subtype": "success"}}"#;
    let script = Script::new([
        Step::Line(ask),
        serde_json::from_str(answer).unwrap(),
        Step::Exit(4),
    ]);
    let (mut client, _, running) = start(script);
    let request = client.next().await.unwrap();
    client.decide(&request, json!({})).await;
    assert_eq!(running.await.unwrap().unwrap().code, 4);
}

#[tokio::test]
async fn a_hook_has_the_id_that_the_host_chose() {
    let call = json!({
        "type": "control_request", "request_id": "call-1",
        "request": {"subtype": "hook_callback", "callback_id": "$hook", "input": {}}
    });
    let matchers = json!([{"matcher": "Bash", "hookCallbackIds": ["mine", "second"]}]);
    for (hooks, id) in [
        (json!({"PreToolUse": matchers}), json!("mine")),
        (json!({"Stop": [{"hookCallbackIds": []}]}), Value::Null),
        (Value::Null, Value::Null),
    ] {
        let expect = r#"{"expect": {"type": "control_request", "subtype": "initialize"}}"#;
        let (mut client, ..) = start(Script::new([
            serde_json::from_str(expect).unwrap(),
            Step::Line(call.clone()),
        ]));
        let body = json!({"subtype": "initialize", "hooks": hooks});
        client.request("r1", body).await;
        let request = client.next().await.unwrap();
        assert_eq!(request["request"]["callback_id"], id);
    }
}

#[tokio::test]
async fn it_dies_in_the_middle_of_a_line() {
    let half = r#"{"type":"assistant","mess"#;
    let script = Script::new([Step::Turn(vec![
        Step::Bytes(vec![0xff, b'\n']),
        Step::Raw(half.to_owned()),
        Step::Exit(9),
    ])]);
    let (mut client, _, running) = start(script);
    client.prompt("p1").await;
    client.until("init").await;
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut client.reader, &mut rest)
        .await
        .unwrap();
    assert_eq!(rest, [b"\xff\n", half.as_bytes()].concat());
    assert_eq!(running.await.unwrap().unwrap().code, 9);
}

#[tokio::test]
async fn a_turn_can_fail() {
    let fail = Step::fail("error_max_turns", "Reached maximum number of turns (1)");
    let script = Script::new([Step::Turn(vec![
        fail,
        Step::message([Block::text("never")]),
    ])]);
    let (mut client, _, running) = start(script);
    client.prompt("p1").await;
    let lines = client.until("idle").await;
    let end = lines
        .iter()
        .find(|line| kind(line) == "result error_max_turns")
        .unwrap();
    assert_eq!(
        end["errors"],
        json!(["Reached maximum number of turns (1)"])
    );
    assert!(end.get("result").is_none());
    assert!(!kinds(&lines).contains(&"assistant".to_owned()));
    client.writer.shutdown().await.unwrap();
    assert_eq!(running.await.unwrap().unwrap().code, 1);
}

#[tokio::test]
async fn the_api_can_refuse_a_turn() {
    let refuse = Step::api_failure(401, "authentication_failed", "Invalid API key");
    let (mut client, _, running) = start(Script::new([Step::Turn(vec![refuse])]));
    client.prompt("p1").await;
    let lines = client.until("idle").await;
    let message = lines
        .iter()
        .find(|line| line["type"] == "assistant")
        .unwrap();
    assert_eq!(message["error"], "authentication_failed");
    let end = lines.iter().find(|line| line["type"] == "result").unwrap();
    assert_eq!(
        (&end["subtype"], &end["is_error"]),
        (&json!("success"), &json!(true))
    );
    assert_eq!(end["api_error_status"], 401);
    assert_eq!(end["result"], "Invalid API key");
    client.writer.shutdown().await.unwrap();
    assert_eq!(running.await.unwrap().unwrap().code, 1);
}

/// Recorded with CLI 2.1.332 without a login: the message has no status, and that of the result is null.
#[tokio::test]
async fn a_turn_can_fail_without_a_request() {
    let text = "Not logged in · Please run /login";
    let refuse = Step::api_failure(0, "authentication_failed", text);
    let (mut client, _, running) = start(Script::new([Step::Turn(vec![refuse])]));
    client.prompt("p1").await;
    let lines = client.until("idle").await;
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    let (message, end) = (of("assistant"), of("result"));
    assert_eq!(message["error"], "authentication_failed");
    assert!(message.get("api_error_status").is_none(), "{message}");
    assert!(message.get("request_id").is_none(), "{message}");
    assert_eq!(end.get("api_error_status"), Some(&Value::Null), "{end}");
    assert_eq!(
        (&end["is_error"], &end["result"], &end["terminal_reason"]),
        (&json!(true), &json!(text), &json!("api_error"))
    );
    client.writer.shutdown().await.unwrap();
    assert_eq!(running.await.unwrap().unwrap().code, 1);
}

#[tokio::test]
async fn a_result_can_get_lost() {
    let (mut client, _, _running) = start(Script::new([Step::Turns(vec![Step::LoseResult])]));
    client.prompt("p1").await;
    let lines = client.until("idle").await;
    assert_eq!(kinds(&lines)[3..], ["init", "p1 completed", "idle"]);
    client.prompt("p2").await;
    client.until("p2 completed").await;
}

#[tokio::test]
async fn without_partial_messages_there_are_no_stream_events() {
    let script = r#"{
        "partial_messages": false, "state_frames": false,
        "steps": [{"turn": [{"message": [
            {"type": "thinking", "thinking": "So so.", "signature": "c2ln"},
            {"type": "text", "text": "Hi"}
        ]}]}]
    }"#;
    let (mut client, _, _running) = start(serde_json::from_str(script).unwrap());
    client.prompt("p1").await;
    let lines = client.until("p1 completed").await;
    let expected = [
        "p1 queued",
        "p1 started",
        "init",
        "assistant",
        "assistant",
        "result success",
        "p1 completed",
    ];
    assert_eq!(kinds(&lines), expected);
}

#[tokio::test]
async fn it_gives_up_on_what_claude_gives_up_on() {
    let (mut client, _, running) = start(demo());
    client.writer.write_all(b"{\"type\":\n").await.unwrap();
    let error = running.await.unwrap().unwrap_err();
    assert!(matches!(error, AgentError::NotJson { length: 8, .. }) && error.is_bad_input());

    let (mut client, _, running) = start(demo());
    client
        .send(&json!({"type": "user", "message": {"role": "assistant"}}))
        .await;
    let error = running.await.unwrap().unwrap_err();
    assert!(matches!(error, AgentError::NotFromUser) && error.is_bad_input());
}

#[tokio::test]
async fn a_wrong_script_says_what_is_wrong() {
    let wrong = [
        Step::message([Block::text("outside")]),
        Step::permission([], []),
        Step::tool_result("outside"),
        Step::Reply(Value::Null),
    ];
    for step in wrong {
        let (_client, _, running) = start(Script::new([step]));
        assert!(matches!(
            running.await.unwrap(),
            Err(AgentError::Misplaced { .. })
        ));
    }
    let (mut client, _, running) = start(Script::new([Step::expect_prompt()]));
    client.writer.shutdown().await.unwrap();
    let error = running.await.unwrap().unwrap_err();
    assert!(matches!(error, AgentError::NeverCame { expected } if expected == "user"));
}

#[tokio::test(start_paused = true)]
async fn it_reads_while_it_floods() {
    let flood = Step::repeat(1000, [Step::Text("{\"type\":\"noise\"}".to_owned())]);
    let (mut client, _, _running) = start_with_buffer(Script::new([flood]), 64);
    let write = async {
        for _ in 0..1000 {
            client
                .writer
                .write_all(b"{\"type\":\"keep_alive\"}\n")
                .await
                .unwrap();
        }
    };
    // Nobody reads what it writes. The clock stands while anything moves.
    tokio::time::timeout(Duration::from_secs(1), write)
        .await
        .expect("it stopped reading");
}

#[tokio::test(start_paused = true)]
async fn deaf_is_deaf() {
    let (mut client, gates, _running) =
        start_with_buffer(Script::new([Step::Deaf, Step::gate("never")]), 64);
    gates.reached("never").await;
    let spaces = vec![b' '; 64 * 1024];
    let write = client.writer.write_all(&spaces);
    tokio::time::timeout(Duration::from_secs(1), write)
        .await
        .unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn hanging_is_silence() {
    let (mut client, _, running) = start(Script::new([Step::Hang]));
    client.request("r1", json!({"subtype": "initialize"})).await;
    let mut line = Vec::new();
    let read = tokio::io::AsyncReadExt::read_buf(&mut client.reader, &mut line);
    tokio::time::timeout(Duration::from_secs(1), read)
        .await
        .unwrap_err();
    assert!(!running.is_finished());
}

#[tokio::test]
async fn output_ends_before_the_agent_does() {
    let (mut client, gates, running) = start(Script::new([Step::CloseStdout, Step::gate("end")]));
    assert_eq!(client.next().await, None);
    gates.reached("end").await;
    assert!(!running.is_finished());
    gates.open("end");
    client.writer.shutdown().await.unwrap();
    assert_eq!(running.await.unwrap().unwrap().code, 0);
}

#[tokio::test(start_paused = true)]
async fn the_pace_is_kept() {
    let script = Script::reply("one two three").pace(Duration::from_millis(30));
    let (mut client, _, _running) = start(script);
    let begin = Instant::now();
    client.prompt("p1").await;
    client.until("idle").await;
    assert_eq!(begin.elapsed().as_millis() / 30, 3);
}
