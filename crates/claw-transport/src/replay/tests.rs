use bytes::Bytes;
use claw_codec::LineItem;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::*;
use crate::Parts;

fn lines(lines: &[Value]) -> Vec<u8> {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    lines.collect::<String>().into_bytes()
}

async fn play(stdout: &[Value], stdin: &[Value]) -> Parts {
    let replay = Replay::new(&lines(stdout), &lines(stdin)).unwrap();
    replay.open().await.unwrap().into_parts()
}

/// Returns the lines that can be read without further input. A final `None` is the end of the output.
fn there(parts: &mut Parts) -> Vec<Option<Value>> {
    let mut lines = Vec::new();
    while let Some(line) = parts.incoming.next().now_or_never() {
        match line {
            Some(Ok(LineItem::Line(line))) => {
                lines.push(Some(serde_json::from_slice(&line.raw).unwrap()));
            }
            Some(other) => panic!("{other:?}"),
            None => {
                lines.push(None);
                break;
            }
        }
    }
    lines
}

async fn write(parts: &mut Parts, line: &Value) -> io::Result<()> {
    parts.outgoing.send(Bytes::from(line.to_string())).await
}

fn request(id: &str, body: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": body})
}

fn answer(id: &str, response: &Value) -> Value {
    let response = json!({"subtype": "success", "request_id": id, "response": response});
    json!({"type": "control_response", "response": response})
}

fn prompt(uuid: &str, text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}, "uuid": uuid})
}

fn note(text: &str) -> Value {
    json!({"type": "note", "text": text})
}

#[tokio::test]
async fn a_line_waits_for_what_it_came_of() {
    let result = |uuid| json!({"type": "result", "user_message_uuids": [uuid]});
    let running = json!({"type": "system", "subtype": "session_state_changed", "state": "running"});
    let ask = request("q", &json!({"subtype": "can_use_tool"}));
    let stdout = [
        note("at once"),
        answer("r1", &json!({"commands": []})),
        running.clone(),
        result("u1"),
        ask.clone(),
        note("allowed"),
        answer("r2", &json!({})),
    ];
    let stdin = [
        request("r1", &json!({"subtype": "initialize", "hooks": {}})),
        prompt("u1", "Hello?"),
        answer("q", &json!({"behavior": "allow"})),
        request("r2", &json!({"subtype": "end_session"})),
    ];
    let mut parts = play(&stdout, &stdin).await;
    assert_eq!(there(&mut parts), [Some(note("at once"))]);
    // This request differs from the recorded one in its options and its ID.
    let initialize = request(
        "mine",
        &json!({"subtype": "initialize", "agents": {"a": 1}}),
    );
    write(&mut parts, &initialize).await.unwrap();
    let initialized = answer("mine", &json!({"commands": []}));
    assert_eq!(there(&mut parts), [Some(initialized)]);
    write(&mut parts, &prompt("my own", "Hello?"))
        .await
        .unwrap();
    assert_eq!(
        there(&mut parts),
        [Some(running), Some(result("my own")), Some(ask)]
    );
    let allowed = answer("q", &json!({"behavior": "allow", "toolUseID": "t"}));
    write(&mut parts, &allowed).await.unwrap();
    assert_eq!(there(&mut parts), [Some(note("allowed"))]);
    let end = request("last", &json!({"subtype": "end_session"}));
    write(&mut parts, &end).await.unwrap();
    assert_eq!(there(&mut parts), [Some(answer("last", &json!({}))), None]);
}

#[tokio::test]
async fn what_was_not_written_then_is_an_error_at_both_ends() {
    let set_model = |model| request("r", &json!({"subtype": "set_model", "model": model}));
    let stdin = [prompt("u", "Hello?"), set_model("opus")];
    let others = [
        prompt("x", "Good-bye?"),
        set_model("sonnet"),
        request(
            "r",
            &json!({"subtype": "set_model", "model": "opus", "more": 1}),
        ),
        request("r", &json!({"subtype": "interrupt"})),
        json!({"type": "keep_alive"}),
        json!([]),
    ];
    for other in others {
        let mut parts = play(&[answer("r", &json!({}))], &stdin).await;
        let error = write(&mut parts, &other).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let deviation: &Deviation = error.get_ref().unwrap().downcast_ref().unwrap();
        assert_eq!(deviation.written, other.to_string());
        assert_eq!(deviation.expected, Some((1, stdin[0].to_string())));
        assert!(error.to_string().contains("line 1"), "{error}");
        let read = parts.incoming.next().await.unwrap().unwrap_err();
        assert_eq!(read.to_string(), error.to_string());
    }
}

#[tokio::test]
async fn the_same_twice_is_one_too_many() {
    let mut parts = play(&[], &[prompt("u", "Hello?")]).await;
    write(&mut parts, &prompt("a", "Hello?")).await.unwrap();
    let error = write(&mut parts, &prompt("b", "Hello?")).await.unwrap_err();
    assert!(error.to_string().contains("nothing more"), "{error}");
}

#[tokio::test]
async fn who_ends_earlier_gets_no_more() {
    let named = json!({"type": "result", "user_message_uuid": "u"});
    for by_request in [true, false] {
        let stdout = [note("before"), named.clone(), note("after")];
        let mut parts = play(&stdout, &[prompt("u", "Hello?")]).await;
        if by_request {
            let end = request("e", &json!({"subtype": "end_session"}));
            write(&mut parts, &end).await.unwrap();
        } else {
            parts.outgoing.close().await.unwrap();
        }
        assert_eq!(there(&mut parts), [Some(note("before")), None]);
    }
}

#[tokio::test]
async fn a_prompt_of_another_name_is_named_so_in_requests_too() {
    let cancel = |uuid| request("c", &json!({"subtype": "cancel", "message_uuid": uuid}));
    let mut parts = play(&[], &[prompt("u", "Hello?"), cancel("u")]).await;
    write(&mut parts, &prompt("mine", "Hello?")).await.unwrap();
    write(&mut parts, &cancel("mine")).await.unwrap();
    assert_eq!(there(&mut parts), [None]);
}

#[tokio::test]
async fn prompts_that_are_never_named_each_have_an_init() {
    let init = |n: u8| json!({"type": "system", "subtype": "init", "n": n});
    let stdout = [init(1), note("one"), init(2), note("two")];
    let mut parts = play(&stdout, &[prompt("u", "1"), prompt("v", "2")]).await;
    assert_eq!(there(&mut parts), []);
    write(&mut parts, &prompt("a", "1")).await.unwrap();
    assert_eq!(there(&mut parts), [Some(init(1)), Some(note("one"))]);
    write(&mut parts, &prompt("b", "2")).await.unwrap();
    assert_eq!(there(&mut parts), [Some(init(2)), Some(note("two")), None]);
}

/// In the recording, the answer to the outer question follows the answer to the inner question. The replay still
/// delivers the inner question before the outer question is answered.
#[tokio::test]
async fn an_answer_that_had_to_wait_for_another_question_may_wait_again() {
    let ask = |id| request(id, &json!({"subtype": "ask"}));
    let stdout = [ask("outer"), ask("inner"), note("inside"), note("outside")];
    let stdin = [answer("inner", &json!({})), answer("outer", &json!({}))];
    let mut parts = play(&stdout, &stdin).await;
    assert_eq!(there(&mut parts), [Some(ask("outer")), Some(ask("inner"))]);
    write(&mut parts, &stdin[0]).await.unwrap();
    assert_eq!(there(&mut parts), []);
    write(&mut parts, &stdin[1]).await.unwrap();
    let rest = [Some(note("inside")), Some(note("outside")), None];
    assert_eq!(there(&mut parts), rest);
}

#[test]
fn a_recording_that_is_none_says_where() {
    let error = Replay::new(b"", b"{\"type\":\"user\"}\n\nhello\n").unwrap_err();
    assert!(
        matches!(error, TransportError::BadRecording { line: 3, .. }),
        "{error}"
    );
    let error = Replay::open("/no/such/folder").unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}
