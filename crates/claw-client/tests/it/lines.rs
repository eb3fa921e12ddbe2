//! Lines that are not as they should be.

use claw_client::Error;
use claw_client::codec::DEFAULT_LIMIT;
use claw_client::types::Message;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step, Style};
use futures::TryStreamExt;
use serde_json::json;

use crate::agent::{connect, soon};

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
    let (mut errors, mut unknown, mut text) = (Vec::new(), 0, String::new());
    while let Some(frame) = soon(turn.next_frame()).await {
        match frame {
            Ok(frame) => {
                let raw: serde_json::Value = serde_json::from_slice(frame.raw().unwrap()).unwrap();
                unknown += usize::from(raw["type"] == "brand_new");
                if let Message::Assistant(_) = frame.value() {
                    text.push_str(&frame.value().text());
                }
            }
            Err(error) => errors.push(error),
        }
    }
    assert_eq!((unknown, text.as_str(), errors.len()), (1, "fine", 2));
    assert!(errors.iter().all(Error::is_line));
    let Error::Malformed(bad) = &errors[0] else {
        panic!("{errors:?}")
    };
    assert!(bad.line > 1);
    assert!(bad.error.path().starts_with("message"), "{}", bad.error);
    let Error::Malformed(bad) = &errors[1] else {
        panic!("{errors:?}")
    };
    assert_eq!(&bad.raw[..], b"some warning");
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
        assert!(matches!(error, Error::Malformed(_)), "{error}");
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
        let Error::TooLong(line) = &error else {
            panic!("{error}")
        };
        assert!(
            line.length > line.limit as u64 && error.is_line(),
            "{error}"
        );
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
        let messages: Vec<_> = soon(turn.try_collect()).await.unwrap();
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
    while let Some(frame) = soon(turn.next_frame()).await {
        found |= frame.unwrap().raw() == Some(odd.as_bytes());
    }
    assert!(found);
}
