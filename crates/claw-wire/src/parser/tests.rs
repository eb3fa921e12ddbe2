//! The reader takes nothing that `serde_json` refuses, and gives the same values.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::Parser;
use crate::{Json, json_equal};

fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Option<T> {
    let mut parser = Parser::new(text);
    let value = T::deserialize(&mut parser).ok()?;
    parser.end().ok()?;
    Some(value)
}

/// What the parser makes of a text. Where it reads the text, `serde_json` has to read the same value.
fn agrees(text: &str) -> Option<Value> {
    let read: Option<Value> = read(text);
    if let Some(value) = &read {
        assert_eq!(
            serde_json::from_str::<Value>(text).ok().as_ref(),
            Some(value),
            "{text}"
        );
        let raw: Json = self::read(text).unwrap_or_else(|| panic!("not raw: {text}"));
        assert!(json_equal(raw.as_raw(), text.trim()), "{text}");
    }
    read
}

#[test]
fn what_the_cli_writes_is_read() {
    let long = format!(r#"{{"t":"{}\n{}"}}"#, "x".repeat(1000), "ü🎉".repeat(500));
    let texts = [
        "{}",
        "[]",
        " { \"a\" : [ 1 , 2 ] } ",
        "0",
        "-1",
        "1.5",
        "1e-7",
        "2E+3",
        "-0",
        "-0.0",
        "18446744073709551615",
        "-9223372036854775808",
        "true",
        "false",
        "null",
        "\"\"",
        r#""seven77""#,
        r#""eight888""#,
        r#""nine99999""#,
        r#""\"\\\/\b\f\n\r\t\u00fc\ud83c\udf89""#,
        r#"{"a":{"b":[{"c":null}]},"d":"e"}"#,
        &long,
    ];
    for text in texts {
        assert!(agrees(text).is_some(), "{text}");
    }
}

#[test]
fn what_is_no_json_is_not_read() {
    let texts = [
        "",
        " ",
        "{",
        "}",
        "[",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "1e+",
        "tru",
        "nul",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\n\"",
        "\"\u{1f}\"",
        "1 2",
        "{}{}",
        "[1}",
        "{\"a\":[}",
    ];
    for text in texts {
        assert!(read::<Value>(text).is_none(), "{text:?}");
        assert!(read::<Json>(text).is_none(), "{text:?}");
    }
}

#[test]
fn what_is_not_ordinary_is_left_to_serde_json() {
    let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
    for text in [
        "18446744073709551616",
        "1e400",
        r#""\ud83d""#,
        r#""\udc00\ud800""#,
        &deep,
    ] {
        assert!(read::<Value>(text).is_none(), "{text}");
    }
    let less = format!("{}{}", "[".repeat(127), "]".repeat(127));
    assert!(agrees(&less).is_some());
}

proptest! {
    #[test]
    fn any_text_reads_as_serde_json_reads_it(text in "[\\[\\]{}:,\"\\\\ntrufalse0-9.eE+u \u{1f}ü🎉-]{0,24}") {
        agrees(&text);
    }

    #[test]
    fn any_string_is_read(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(read::<String>(&json), Some(text));
    }

    #[test]
    fn any_number_is_read(integer in any::<i64>(), float in any::<f64>()) {
        prop_assert!(agrees(&integer.to_string()).is_some());
        if float.is_finite() {
            prop_assert!(agrees(&serde_json::to_string(&float).unwrap()).is_some());
        }
    }
}
