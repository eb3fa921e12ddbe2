use std::error::Error as _;

use bytes::Bytes;
use claw_types::{DecodeError, DecodeErrorKind, FromLine};
use serde::Deserialize;

use crate::{FrameItem, Line, LineItem, TooLong, decode_line};

#[derive(Debug, PartialEq, Deserialize)]
struct Doc {
    a: u32,
}

impl FromLine for Doc {
    fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
        Ok(serde_json::from_slice(line)?)
    }
}

fn read(raw: &'static [u8]) -> FrameItem<Doc> {
    decode_line(Line::new(7, Bytes::from_static(raw)))
}

#[test]
fn a_line_that_fits_is_a_frame_with_the_same_bytes() {
    let raw = b"{ \"a\": 1 }";
    let frame = read(raw).into_frame().unwrap();
    assert_eq!((frame.number(), frame.value()), (7, &Doc { a: 1 }));
    assert_eq!(frame.raw().unwrap().as_ptr(), raw.as_ptr());
}

#[test]
fn a_line_that_does_not_is_malformed_and_whole() {
    for (raw, kind) in [
        (&b"[debug] starting"[..], DecodeErrorKind::Syntax),
        (b"{\"a\":", DecodeErrorKind::Syntax),
        (b"{\"a\":-1}", DecodeErrorKind::Data),
    ] {
        let item = read(raw);
        assert_eq!(item.number(), 7);
        let FrameItem::Malformed(bad) = item else {
            panic!("{item:?}")
        };
        assert_eq!((bad.error.kind(), &bad.raw[..]), (kind, raw));
        assert_eq!(bad.to_string(), "line 7 is malformed");
        assert_eq!(bad.source().unwrap().to_string(), bad.error.to_string());
    }
}

#[test]
fn showing_a_malformed_line_is_safe() {
    let FrameItem::Malformed(bad) = read(b"\x1b[2Jsecret") else {
        panic!("read")
    };
    assert_eq!(bad.excerpt(6), "\\u{1b}[2Jse… (4 bytes more)");
    assert!(!format!("{bad:?}").contains("secret"));
}

#[test]
fn a_line_over_the_limit_stays_one() {
    let long = TooLong::new(3, 9, 2, Bytes::from_static(b"{"), Bytes::from_static(b"}"));
    let item = FrameItem::<Doc>::from(LineItem::TooLong(long.clone()));
    assert_eq!(item.number(), 3);
    assert!(matches!(&item, FrameItem::TooLong(same) if *same == long));
    assert_eq!(long.to_string(), "line 3 is 9 bytes long, the limit is 2");
    assert_eq!(long.excerpt(10), "{… (8 bytes more)");
    assert!(item.into_frame().is_none());
}

#[test]
fn detached_items_have_their_own_bytes() {
    let raw = b"{\"a\":1}";
    let mut frame = read(raw).detach().into_frame().unwrap();
    assert_eq!((frame.number(), frame.raw()), (7, Some(&raw[..])));
    assert_ne!(frame.raw().unwrap().as_ptr(), raw.as_ptr());
    frame.value_mut().a = 2;
    let frame = crate::detach(frame);
    assert_eq!((frame.raw(), frame.value()), (None, &Doc { a: 2 }));

    let raw = b"stray";
    let FrameItem::Malformed(bad) = read(raw).detach() else {
        panic!("read")
    };
    assert_eq!((bad.line, &bad.raw[..]), (7, &raw[..]));
    assert_ne!(bad.raw.as_ptr(), raw.as_ptr());
}
