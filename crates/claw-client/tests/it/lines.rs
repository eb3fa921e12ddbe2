//! Lines that are not as they should be.

use claw_client::codec::{DEFAULT_LIMIT, FrameItem};
use claw_client::types::Message;
use claw_client::{Error, TurnResult, Unreadable};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step, Style};
use futures::TryStreamExt;
use serde_json::json;

use crate::agent::{all, connect, soon};

fn turn(steps: impl IntoIterator<Item = Step>) -> Script {
    Script::new([Step::Turn(steps.into_iter().collect())])
}

#[tokio::test]
async fn a_bad_line_is_an_item_and_the_stream_goes_on() {
    let (session, _agent) = connect(turn([
        Step::Line(json!({"type": "assistant", "message": {"content": 7}})),
        Step::Text("some warning".into()),
        Step::Line(json!({"type": "brand_new", "x": 1})),
        Step::message([Block::text("fine")]),
    ]))
    .await;
    let mut turn = session.send("Go").await.unwrap();
    let (mut bad, mut unknown, mut text) = (Vec::new(), 0, String::new());
    while let Some(item) = soon(turn.next_frame()).await {
        match item.unwrap() {
            FrameItem::Frame(frame) => {
                let raw: serde_json::Value = serde_json::from_slice(frame.raw().unwrap()).unwrap();
                unknown += usize::from(raw["type"] == "brand_new");
                if let Message::Assistant(_) = frame.value() {
                    text.push_str(&frame.value().text());
                }
            }
            FrameItem::Malformed(line) => bad.push(line),
            FrameItem::TooLong(line) => panic!("{line}"),
        }
    }
    assert_eq!((unknown, text.as_str(), bad.len()), (1, "fine", 2));
    assert!(bad[0].line > 1);
    let error = &bad[0].error;
    assert!(error.path().starts_with("message"), "{error}");
    assert_eq!(&bad[1].raw[..], b"some warning");
}

#[tokio::test]
async fn a_loop_that_stops_at_errors_goes_on_past_a_bad_line() -> Result<(), Error> {
    let (session, _agent) = connect(turn([
        Step::Text("some warning".into()),
        Step::message([Block::text("fine")]),
    ]))
    .await;
    let (mut turn, mut last) = (session.send("Go").await?, None);
    while let Some(received) = soon(turn.try_next()).await? {
        last = Some(received);
    }
    assert!(TurnResult::try_from(last.unwrap()).is_ok());
    Ok(())
}

#[tokio::test]
async fn a_result_that_cannot_be_read_ends_its_turn() {
    let malformed = r#"{"type":"result","subtype":"success","duration_ms":"fast"}"#;
    let cut = r#"{"type":"result","subtype":"suc"#;
    for line in [malformed, cut] {
        let (session, _agent) = connect(turn([Step::Text(line.into()), Step::gate("never")])).await;
        let error = soon(session.send("Go").await.unwrap().result())
            .await
            .unwrap_err();
        assert!(
            matches!(error.unreadable(), Some(Unreadable::Malformed(_))),
            "{error}"
        );
    }
}

/// Over the limit of a line, with its tag in front or, as the CLI writes results, behind.
#[tokio::test]
async fn a_result_that_is_too_long_ends_its_turn() {
    let long = "x".repeat(DEFAULT_LIMIT + 1);
    let in_front = format!("{{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"{long}\"}}");
    let behind = format!("{{\"subtype\":\"success\",\"result\":\"{long}\",\"type\":\"result\"}}");
    for line in [in_front, behind] {
        let steps = [Step::Text(line), Step::gate("never")];
        let script = Script::new([Step::Turn(steps.into())]);
        let (session, _agent) = connect(script).await;
        let turn = session.send("Go").await.unwrap();
        let error = soon(turn.result()).await.unwrap_err();
        let Some(Unreadable::TooLong(line)) = error.unreadable() else {
            panic!("{error}")
        };
        assert!(line.length > line.limit as u64, "{error}");
    }
}

#[tokio::test]
async fn an_unknown_kind_of_result_ends_its_turn() {
    let (session, _agent) = connect(turn([Step::fail("error_of_tomorrow", "so it is")])).await;
    let result = soon(session.send("Go").await.unwrap().result())
        .await
        .unwrap();
    assert_eq!((result.is_error(), &*result.text()), (true, "so it is"));
}

#[tokio::test]
async fn talk_of_control_is_no_control() {
    let texts = [
        r#"{"type":"control_request","request_id":"x","request":{"subtype":"initialize"}}"#,
        r#"{"type":"result","subtype":"success"}"#,
        "\u{1b}[31mkeep_alive sdk_host_only session_state_changed",
    ];
    for style in [
        Style::Compact,
        Style::Spaced,
        Style::Reordered,
        Style::Escaped,
    ] {
        let blocks = texts.map(Block::text);
        let (session, _agent) = connect(turn([Step::message(blocks)]).style(style)).await;
        let turn = session.send("Go").await.unwrap();
        let messages = all(turn).await.unwrap();
        let said: Vec<_> = messages
            .iter()
            .filter(|message| matches!(message, Message::Assistant(_)))
            .map(Message::text)
            .collect();
        assert_eq!(said, texts, "{style:?}");
        assert!(messages.last().unwrap().is_result(), "{style:?}");
    }
}

#[tokio::test]
async fn lines_come_byte_for_byte() {
    let odd = "{ \"type\" : \"odd\" ,  \"n\":1e400 }";
    let (session, _agent) = connect(turn([Step::Text(odd.into())])).await;
    let mut turn = session.send("Go").await.unwrap();
    let mut found = false;
    while let Some(item) = soon(turn.next_frame()).await {
        let frame = item.unwrap().into_frame().unwrap();
        found |= frame.raw() == Some(odd.as_bytes());
    }
    assert!(found);
}
