use proptest::prelude::*;
use serde_json::{Value, json};

use super::PartialInput;

fn completed(text: &str) -> Option<Value> {
    PartialInput::new(text)
        .completed()
        .map(|json| json.to_value().unwrap())
}

#[test]
fn what_is_there_so_far() {
    for (text, expected) in [
        ("", None),
        ("  ", None),
        ("tru", None),
        ("\"a", Some(json!("a"))),
        ("{", Some(json!({}))),
        ("{\"", Some(json!({}))),
        ("{\"command", Some(json!({}))),
        ("{\"command\"", Some(json!({}))),
        ("{\"command\":", Some(json!({}))),
        ("{\"command\": \"", Some(json!({"command": ""}))),
        ("{\"command\": \"ls -", Some(json!({"command": "ls -"}))),
        ("{\"a\": \"tab\\", Some(json!({"a": "tab"}))),
        ("{\"a\": \"tab\\t", Some(json!({"a": "tab\t"}))),
        ("{\"a\": \"\\u00e", Some(json!({"a": ""}))),
        ("{\"a\": \"x\\ud83c", Some(json!({"a": "x"}))),
        (
            "{\"a\": \"x\\ud83c\\udf89",
            Some(json!({"a": "x\u{1f389}"})),
        ),
        ("{\"a\": \"x\\\\ud83c", Some(json!({"a": "x\\ud83c"}))),
        ("{\"a\": 12", Some(json!({}))),
        ("{\"a\": 12,", Some(json!({"a": 12}))),
        ("{\"a\": tru", Some(json!({}))),
        ("{\"a\": true }", Some(json!({"a": true}))),
        (
            "{\"a\": [1, [2, {\"b\": \"c",
            Some(json!({"a": [1, [2, {"b": "c"}]]})),
        ),
        ("{\"a\": [1, 2], \"b\"", Some(json!({"a": [1, 2]}))),
        ("{\"a\": {}, \"b\": [", Some(json!({"a": {}, "b": []}))),
        ("{\"a\":1}}", None),
        ("]", None),
    ] {
        assert_eq!(completed(text), expected, "{text}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "(\\PC|[\\\\\"\n\t]){0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z\\\\\"\u{e9}]{0,4}", inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Whether `part` is an incomplete beginning of `whole`.
fn begins(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| begins(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            part.len() <= whole.len() && whole.iter().zip(part).all(|(w, p)| begins(w, p))
        }
        (Value::String(whole), Value::String(part)) => whole.starts_with(part.as_str()),
        (whole, part) => whole == part,
    }
}

proptest! {
    #[test]
    fn any_beginning_of_an_object_is_its_beginning(value in any_json()) {
        let whole = json!({ "input": value });
        for text in [whole.to_string(), serde_json::to_string_pretty(&whole).unwrap()] {
            for (at, _) in text.char_indices().skip(1) {
                let part = completed(&text[..at]);
                prop_assert!(part.as_ref().is_some_and(|part| begins(&whole, part)), "{}: {part:?}", &text[..at]);
            }
            prop_assert_eq!(completed(&text).unwrap(), whole.clone());
        }
    }

    #[test]
    fn nothing_makes_it_panic(text in ".{0,24}") {
        let _ = PartialInput::new(&text).completed();
    }
}
