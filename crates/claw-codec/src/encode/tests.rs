use bytes::{Bytes, BytesMut};
use claw_types::{Frame, Json, Message, ToLine};
use serde_json::json;
use tokio_util::codec::Encoder;

use super::{EncodeError, frame_line, to_line};
use crate::{FrameCodec, Line, LineCodec, decode_line};

/// Has no JSON form.
struct Unwritable;

impl ToLine for Unwritable {
    fn append_line(&self, _: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        Err(serde::ser::Error::custom("no JSON"))
    }
}

#[test]
fn a_value_is_one_line_for_every_reader() {
    let line = to_line(&json!({"a": "\r\n\u{2028}|\u{2029}\u{2027}“\0"})).unwrap();
    assert_eq!(line, "{\"a\":\"\\r\\n\\u2028|\\u2029\u{2027}“\\u0000\"}");
}

#[test]
fn raw_json_is_put_on_one_line() {
    let raw = Json::from_text("{\n  \"a\": [\r\n\t1\r]\n}".into()).unwrap();
    assert_eq!(to_line(&raw).unwrap(), "{   \"a\": [  \t1 ] }");
}

#[test]
fn an_encoder_appends_and_ends_the_line() {
    let mut out = BytesMut::from("before\u{2028}\r\n");
    FrameCodec::<()>::new()
        .encode(&json!(["\u{2028}"]), &mut out)
        .unwrap();
    LineCodec::new().encode(&b"{}"[..], &mut out).unwrap();
    LineCodec::new()
        .encode(Bytes::from_static(b"[]"), &mut out)
        .unwrap();
    assert_eq!(out, "before\u{2028}\r\n[\"\\u2028\"]\n{}\n[]\n");
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let mut out = BytesMut::from("before\n");
    let error = FrameCodec::<()>::new()
        .encode(Unwritable, &mut out)
        .unwrap_err();
    assert!(matches!(error, EncodeError::Json(_)) && !error.is_io());
    let error = LineCodec::new()
        .encode(&b"{}\n{}"[..], &mut out)
        .unwrap_err();
    assert!(matches!(error, EncodeError::NotOneLine { at: 2 }));
    assert_eq!(out, "before\n");
}

/// Writes two lines.
struct TwoLines;

impl ToLine for TwoLines {
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        line.extend_from_slice(b"{}\n{}");
        Ok(())
    }
}

#[test]
fn a_type_of_the_applications_that_writes_two_lines_is_refused() {
    let refused = |error| matches!(error, EncodeError::NotOneLine { at: 2 });
    assert!(to_line(&TwoLines).is_err_and(refused));
    let mut out = BytesMut::from("before\n");
    assert!(
        FrameCodec::<()>::new()
            .encode(TwoLines, &mut out)
            .is_err_and(refused)
    );
    assert_eq!(out, "before\n");
}

#[test]
fn an_untouched_frame_is_sent_on_from_its_bytes() {
    let raw = Bytes::from_static(b"{ \"a\": 1e0, \"s\": \"\xE2\x80\xA8\" }");
    let mut frame = Frame::new(1, raw.clone(), json!({"a": 1}));
    assert_eq!(frame_line(&frame).unwrap().as_ptr(), raw.as_ptr());

    let mut out = BytesMut::new();
    LineCodec::new().encode(&frame, &mut out).unwrap();
    assert_eq!(out, [&raw[..], b"\n"].concat());

    frame.value_mut();
    assert_eq!(frame_line(&frame).unwrap(), "{ \"a\": 1 }");
}

#[test]
fn an_edited_field_is_replaced_in_its_place() {
    let raw = br#"{ "session_id":"s","uuid": "u\u0041", "type":"user","message":{"content":"old" ,"role":"user"}, "parent_tool_use_id":null, "new":[1.0e0]}"#;
    let item = decode_line::<Message>(Line::new(1, Bytes::from_static(raw)));
    let mut frame = item.into_frame().unwrap();
    let Message::User(user) = frame.value_mut() else {
        panic!("{frame:?}")
    };
    user.message.content = "new".into();
    let line = frame_line(&frame).unwrap();
    let expected = String::from_utf8_lossy(raw).replace("\"old\"", "\"new\"");
    assert_eq!(line, expected);
}

#[test]
fn a_frame_put_together_from_two_lines_is_refused() {
    let frame = Frame::new(1, Bytes::from_static(b"{}\n{}"), json!({}));
    assert!(matches!(
        frame_line(&frame),
        Err(EncodeError::NotOneLine { at: 2 })
    ));
}
