//! The writer gives the bytes that `serde_json` gives, on one line.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Form, Writer};
use crate::to_line;

/// What the fast path alone writes.
fn fast<T: Serialize>(value: &T) -> Option<String> {
    let mut out = b"before".to_vec();
    let mut writer = Writer {
        out: &mut out,
        form: Form::Text,
    };
    value.serialize(&mut writer).ok()?;
    Some(String::from_utf8(out).unwrap().split_off("before".len()))
}

/// What `serde_json` writes, with the separators as escapes.
fn expected<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    text.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype<'a>(&'a str);

#[derive(Serialize)]
struct Tuple(u8, i64);

#[derive(Serialize)]
struct Struct<T> {
    one: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    none: Option<u8>,
    two: (),
}

#[derive(Serialize)]
enum Enum<'a> {
    Unit,
    Newtype(&'a str),
    Tuple(u8, f32),
    Struct { a: bool, b: Option<char> },
}

#[test]
fn every_form_of_serde_is_written_as_serde_json_writes_it() {
    macro_rules! same {
        ($($value:expr),+ $(,)?) => {$({
            let value = $value;
            assert_eq!(fast(&value).as_deref(), Some(&*expected(&value)));
        })+};
    }
    same!(
        Unit,
        Newtype("x\u{2028}"),
        Tuple(1, i64::MIN),
        Struct {
            one: [Some(1), None],
            none: None,
            two: ()
        },
        [
            Enum::Unit,
            Enum::Newtype("n"),
            Enum::Tuple(1, 0.1),
            Enum::Struct {
                a: true,
                b: Some('"')
            }
        ],
        (
            u64::MAX,
            -1_i8,
            1.0_f64,
            1e300_f64,
            f64::NAN,
            f32::INFINITY,
            -0.0_f64
        ),
        BTreeMap::from([('a', 1), ('"', 2)]),
        BTreeMap::<String, u8>::new(),
        Vec::<u8>::new(),
        [&b"bytes"[..]],
        json!({"a": [{}, [], "", null, {"b\n\u{1}\u{7f}": "\u{8}\u{c}\r\t/\\\"é🎉\u{2029}\u{2027}"}]}),
    );
}

#[test]
fn raw_json_is_written_as_it_stands() {
    let raw = RawValue::from_string(r#"{ "a" : 1e0, "ü": "\u00fc" }"#.into()).unwrap();
    let value = Struct {
        one: &raw,
        none: None,
        two: (),
    };
    assert_eq!(
        fast(&value).unwrap(),
        r#"{"one":{ "a" : 1e0, "ü": "\u00fc" },"two":null}"#
    );
}

#[test]
fn raw_json_is_put_on_one_line() {
    let raw = RawValue::from_string("{\n\"a\": \"“\u{2028}\"\r}".into()).unwrap();
    assert_eq!(fast(&[raw]).unwrap(), "[{ \"a\": \"“\\u2028\" }]");
}

#[test]
fn what_it_gives_up_on_serde_json_writes() {
    let numbers = BTreeMap::from([(1, "\u{2028}"), (2, "b")]);
    assert_eq!(fast(&numbers), None);
    assert_eq!(to_line(&numbers).unwrap(), br#"{"1":"\u2028","2":"b"}"#);
    let big = BTreeMap::from([("n", u128::MAX)]);
    assert_eq!(fast(&big), None);
    assert_eq!(to_line(&big).unwrap(), expected(&big).into_bytes());
}

#[test]
fn what_nobody_can_write_is_an_error() {
    let pairs = BTreeMap::from([((1, 2), 3)]);
    assert!(to_line(&pairs).unwrap_err().to_string().contains("key"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = || {
        prop_oneof![
            any::<String>(),
            "[ -~]{0,40}",
            "[\u{2026}-\u{202a}\"\\\\a\n]{0,20}"
        ]
    };
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn it_agrees_with_serde_json(value in any_value()) {
        let written = fast(&value).unwrap();
        prop_assert_eq!(&written, &expected(&value));
        let breaks = written.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        prop_assert!(!breaks);
    }
}
