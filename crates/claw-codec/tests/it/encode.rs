//! Whatever is written is exactly one line, and is read back as it was.

use bytes::BytesMut;
use claw_codec::{FrameCodec, LineCodec, LineItem, frame_line};
use claw_types::Json;
use futures::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio_util::codec::{Decoder as _, Encoder as _, FramedRead, FramedWrite};

use crate::support::{Doc, block_on};

/// Text with all that somebody takes for a line ending.
fn text() -> impl Strategy<Value = String> {
    let breaks = "\n\r\u{2028}\u{2029}\u{85}\u{b}\u{c}\0“\u{2027}\\\""
        .chars()
        .collect::<Vec<_>>();
    let c = prop_oneof![prop::sample::select(breaks), any::<char>()];
    prop::collection::vec(c, 0..20).prop_map(String::from_iter)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|pairs| Value::Object(Map::from_iter(pairs))),
        ]
    })
}

proptest! {
    #[test]
    fn a_message_is_exactly_one_line(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let raw = Json::from_text(text.unwrap()).unwrap();
        let mut out = BytesMut::new();
        let mut codec = FrameCodec::<Doc>::new();
        codec.encode(json!({ "value": value }), &mut out).unwrap();
        codec.encode(claw_types::Map::from_iter([("value", raw)]), &mut out).unwrap();

        let text = std::str::from_utf8(&out).unwrap();
        // Two lines, also for those who end lines at more than a line feed.
        let ends = |c| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
        prop_assert_eq!(text.matches(ends).count(), 2);
        prop_assert!(text.ends_with('\n'));
        for _ in 0..2 {
            let frame = codec.decode(&mut out).unwrap().unwrap().into_frame().unwrap();
            prop_assert_eq!(&frame.value().0["value"], &value);
            prop_assert_eq!(frame_line(&frame).unwrap(), frame.raw_buffer().unwrap());
        }
        prop_assert!(out.is_empty());
    }
}

#[test]
fn a_proxy_sends_on_untouched_lines_as_they_came() {
    let input = b"{ \"n\" : 1.0e0 , \"s\":\"\\u0061\"}\n{\"b\":2}\n";
    let out = block_on(async {
        let mut read = FramedRead::new(&input[..], FrameCodec::<Doc>::new());
        let mut write = FramedWrite::new(Vec::new(), LineCodec::new());
        while let Some(item) = read.next().await {
            let mut frame = item.unwrap().into_frame().unwrap();
            if frame.number() == 2 {
                frame.value_mut().0.insert("c".into(), json!("\n"));
            }
            write.send(&frame).await.unwrap();
        }
        write.into_inner()
    });
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{ \"n\" : 1.0e0 , \"s\":\"\\u0061\"}\n{\"b\":2,\"c\":\"\\n\"}\n"
    );
}

#[test]
fn lines_are_read_back_as_they_were_written() {
    let mut out = BytesMut::new();
    let mut codec = LineCodec::new();
    codec.encode(&b"{\"a\":1}"[..], &mut out).unwrap();
    let Some(LineItem::Line(line)) = codec.decode(&mut out).unwrap() else {
        panic!("no line")
    };
    assert_eq!(line.raw, "{\"a\":1}");
}
