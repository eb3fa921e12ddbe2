//! Slow readers.

use std::time::Instant;

use claw_client::Error;
use claw_client::types::Json;
use claw_client::types::control::{ControlRequestBody, PermissionResult, Request};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::json;
use tokio::sync::mpsc;

use crate::agent::{builder, connect_as, next, soon};

/// Much more than the session may hold.
fn flood() -> Script {
    let line = Step::message([Block::text("x".repeat(8000))]);
    Script::new([Step::Turn(vec![Step::repeat(200, [line])])])
}

/// A request that the agent does not know, and that disturbs nothing.
pub(crate) struct Nothing;

impl From<Nothing> for ControlRequestBody {
    fn from(_: Nothing) -> Self {
        serde_json::from_str(r#"{"subtype":"nothing"}"#).unwrap()
    }
}

impl Request for Nothing {
    type Response = Option<Json>;
}

const BOUND: usize = 256 * 1024;

#[tokio::test]
async fn nothing_is_lost_when_the_reader_comes_back() {
    let (session, _agent) = connect_as(builder().buffer(BOUND), flood()).await;
    let mut turn = session.send("Go").await.unwrap();
    // Let it fill up: a request that fails proves that it is full.
    let error = soon(async {
        loop {
            let error = session.call(Nothing).await.unwrap_err();
            if !error.is_refused() {
                return error;
            }
        }
    })
    .await;
    assert!(error.is_backlogged(), "{error}");
    let mut texts = 0;
    while let Some(message) = next(&mut turn).await.unwrap() {
        texts += usize::from(message.text().len() == 8000);
    }
    assert_eq!(texts, 200);
}

/// Where one queue with a bound carries messages and answers alike, a program that does not read
/// its messages waits here for ever.
#[tokio::test]
async fn three_hundred_unread_messages_hold_up_no_answer_and_no_request() {
    let call = Block::tool_use("Bash", json!({"command": "true"}));
    let turn = Step::Turn(vec![
        Step::repeat(300, [Step::message([Block::text("unread")])]),
        Step::gate("sent"),
        Step::message([call]),
        Step::permission([Step::tool_result("done")], []),
        Step::gate("answered"),
    ]);
    let (asks, mut asked) = mpsc::unbounded_channel();
    let builder = builder().can_use_tool(move |request| {
        asks.send(request.tool_name().to_owned()).unwrap();
        async { PermissionResult::allow() }
    });
    let (session, agent) = connect_as(builder, Script::new([turn])).await;
    let mut turn = session.send("Go").await.unwrap();
    soon(agent.gates.reached("sent")).await;
    let begun = Instant::now();
    let error = soon(session.call(Nothing)).await.unwrap_err();
    assert!(error.is_refused(), "{error}");
    let answered = begun.elapsed();
    agent.gates.open("sent");
    assert_eq!(soon(asked.recv()).await.unwrap(), "Bash");
    soon(agent.gates.reached("answered")).await;
    let begun = Instant::now();
    soon(session.interrupt()).await.unwrap();
    let interrupted = begun.elapsed();
    println!("300 unread: a request took {answered:?}, an interrupt {interrupted:?}");
    let mut unread = 0;
    while let Some(message) = next(&mut turn).await.unwrap() {
        unread += usize::from(message.text() == "unread");
    }
    assert_eq!(unread, 300);
}

#[tokio::test]
async fn no_room_at_all_is_room_for_one_line() {
    let (session, _agent) = connect_as(builder().buffer(0), flood()).await;
    let mut turn = session.send("Go").await.unwrap();
    let mut texts = 0;
    while let Some(message) = next(&mut turn).await.unwrap() {
        texts += usize::from(message.text().len() == 8000);
    }
    assert_eq!(texts, 200);
}

#[tokio::test]
async fn a_result_needs_no_room() {
    let (session, _agent) = connect_as(builder().buffer(BOUND), flood()).await;
    let turn = session.send("Go").await.unwrap();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    // A turn that nobody has holds nothing.
    drop(session.send("Again").await.unwrap());
    soon(session.interrupt()).await.unwrap();
}

#[tokio::test]
async fn every_line_comes_once_and_in_order() {
    // All at once, so that they are read in large batches.
    let lines = Step::Raw("{\"type\":\"odd\"}\n".repeat(5000));
    let script = Script::new([Step::Turn(vec![lines])]);
    let (session, _agent) = connect_as(builder(), script).await;
    let mut turn = session.send("Go").await.unwrap();
    let (mut last, mut odd) = (None, 0);
    while let Some(frame) = soon(turn.next_frame()).await {
        let frame = frame.unwrap().into_frame().unwrap();
        if frame.value().is_result() {
            break;
        }
        if frame.raw() == Some(br#"{"type":"odd"}"#) {
            assert!(
                odd == 0 || last == Some(frame.number() - 1),
                "after {last:?}"
            );
            odd += 1;
        }
        last = Some(frame.number());
    }
    assert_eq!(odd, 5000);
}

#[tokio::test]
async fn a_stream_that_nobody_reads_does_not_hold_up_another_turn() {
    // Between three quarters of the bound and the bound.
    let line = Step::Raw(format!("{{\"type\":\"{}\"}}\n", "x".repeat(1000)));
    let script = Script::new([
        Step::Turn(vec![Step::repeat(200, [line])]),
        Step::Turn(vec![]),
    ]);
    let (session, _agent) = connect_as(builder().buffer(BOUND), script).await;
    let unread = session.send("1").await.unwrap();
    let second = session.send("2").await.unwrap();
    assert!(!soon(second.result()).await.unwrap().is_error());
    assert!(!soon(unread.result()).await.unwrap().is_error());
}

#[tokio::test]
async fn a_stream_that_nobody_reads_and_that_is_too_long_fails_who_waits() {
    let (pipe_full, agent) = connect_as(builder().buffer(BOUND), flood()).await;
    let unread = pipe_full.send("1").await.unwrap();
    let second = pipe_full.send("2").await.unwrap();
    let error = soon(second.result()).await.unwrap_err();
    assert!(error.is_backlogged(), "{error}");
    // Letting go of it makes room.
    drop(unread);
    let answer = soon(pipe_full.interrupt()).await;
    assert!(
        answer.as_ref().err().is_none_or(Error::is_refused),
        "{answer:?}"
    );
    drop(pipe_full);
    agent.gone().await;
}

#[tokio::test]
async fn what_nobody_read_can_still_be_read() {
    let (session, _agent) = connect_as(builder(), Script::reply("late")).await;
    let first = session.send("1").await.unwrap();
    drop(first);
    assert!(
        !soon(session.send("2").await.unwrap().result())
            .await
            .unwrap()
            .is_error()
    );
    let mut messages = session.messages().unwrap();
    let mut said = 0;
    while said == 0 {
        let message = next(&mut messages).await.unwrap().unwrap();
        said += usize::from(message.text() == "late");
    }
    assert_eq!(session.skipped(), 0);
}

/// What comes between turns has no reader in a program that only sends. The newest of it is kept, and
/// what was thrown away is counted, to the line.
#[tokio::test]
async fn over_a_thousand_notices_hold_up_nobody_who_only_sends() {
    const NOTICES: u64 = 1500;
    let notice = |n: u64| {
        let text = "x".repeat(2000);
        Step::Line(json!({"type": "system", "subtype": "background", "n": n, "text": text}))
    };
    let says = |text: &str| Step::Turn(vec![Step::message([Block::text(text)])]);
    let mut steps = vec![says("one")];
    steps.extend((0..NOTICES / 2).map(notice));
    steps.extend([Step::gate("one"), says("two")]);
    steps.extend((NOTICES / 2..NOTICES).map(notice));
    steps.extend([Step::gate("two"), says("three"), Step::gate("three")]);
    let (session, agent) = connect_as(builder().buffer(BOUND), Script::new(steps)).await;
    for expected in ["one", "two", "three"] {
        assert_eq!(soon(session.ask("On")).await.unwrap(), expected);
        soon(agent.gates.reached(expected)).await;
        agent.gates.open(expected);
        // Refused behind the notices, which have come by then, and so between the turns.
        soon(session.call(Nothing)).await.unwrap_err();
    }
    let skipped = session.skipped();
    let mut messages = session.messages().unwrap();
    let mut kept = Vec::new();
    while kept.last() != Some(&(NOTICES - 1)) {
        let item = soon(messages.next_frame()).await.unwrap().unwrap();
        let frame = item.into_frame().unwrap();
        let line: serde_json::Value = serde_json::from_slice(frame.raw().unwrap()).unwrap();
        kept.extend(line["n"].as_u64());
    }
    // The newest, without a gap.
    let first = NOTICES - kept.len() as u64;
    assert_eq!(kept, (first..NOTICES).collect::<Vec<_>>());
    // Beside these, every turn leaves a few lines of its own that nobody was given.
    assert!(first > 500 && skipped >= first, "{skipped} of {first}");
    assert!(skipped < first + 20, "{skipped} of {first}");
    assert_eq!(session.skipped(), skipped);
}
