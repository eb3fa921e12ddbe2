//! The reader gives the same unions as `serde_json`.

use serde::Deserialize;

use super::Parser;
use crate::Message;
use crate::api::ContentBlockDelta;

fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Option<T> {
    let mut parser = Parser::new(text);
    let value = T::deserialize(&mut parser).ok()?;
    parser.end().ok()?;
    Some(value)
}

/// A union is the same from both, wherever its tag stands.
#[test]
fn a_tag_is_found_wherever_it_stands() {
    for text in [
        r#"{"type":"text_delta","text":"a"}"#,
        r#"{"text":"a","type":"text_delta"}"#,
        r#" { "text" : "a" , "later" : {"type":"x","b":[1,{}]} , "type" : "text_delta" } "#,
        r#"{"type":"tomorrow_delta","text":"a"}"#,
        r#"{"text":"a","type":"tomorrow_delta"}"#,
        r#"{"text":"a","type":7}"#,
        r#"{"text":"a"}"#,
        "{}",
        r#"{"text":"a","type":"text_delta","type":"text_delta"}"#,
        r#"{"text":"a","t\u0079pe":"text_delta"}"#,
    ] {
        let theirs: ContentBlockDelta = serde_json::from_str(text).unwrap();
        assert_eq!(read::<ContentBlockDelta>(text), Some(theirs), "{text}");
    }
    // Two tags.
    let text = r#"{"uuid":"u","subtype":"status","status":null,"session_id":"s","type":"system"}"#;
    let theirs: Message = serde_json::from_str(text).unwrap();
    assert_eq!(theirs.kind(), "system/status");
    assert_eq!(read::<Message>(text), Some(theirs));
}

#[test]
fn a_union_that_is_none_is_not_read() {
    for text in [
        "",
        "7",
        "[]",
        r#"{"text":"a" "type":"text_delta"}"#,
        r#"{"text":"a","type":"text_delta""#,
        r#"{"text":"a","type":"text_delta","#,
        r#"{"text":"a","type":"text_delta","type":"thinking_delta"}"#,
        r#"{"t\u0079pe":"thinking_delta","type":"text_delta","text":"a"}"#,
        r#"{"text":7,"type":"text_delta"}"#,
    ] {
        assert!(
            serde_json::from_str::<ContentBlockDelta>(text).is_err(),
            "{text}"
        );
        assert!(read::<ContentBlockDelta>(text).is_none(), "{text}");
    }
}
