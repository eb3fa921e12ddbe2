use std::collections::BTreeMap;

use claw_types::message::ResultSuccess;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Any JSON object can be deserialized as this type.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
struct Review {
    bugs: Option<Vec<String>>,
}

/// The type itself has the key `output`.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Printed {
    output: Value,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Sum(Sum),
    Printed(Printed),
}

fn of<T: DeserializeOwned + JsonSchema>(output: Value) -> Result<T, Error> {
    let result = ResultSuccess::answer("", "s").structured_output(output);
    TurnResult::Success(Box::new(result)).output()
}

#[test]
fn what_was_asked_for_is_read() {
    assert_eq!(of::<Sum>(json!({"sum": 4})).unwrap(), Sum { sum: 4 });
    assert_eq!(of::<i64>(json!(4)).unwrap(), 4);
}

#[test]
fn a_wrapper_that_the_schema_does_not_name_is_taken_off() {
    assert_eq!(of::<Sum>(json!({"output": {"sum": 4}})).unwrap().sum, 4);
    assert_eq!(of::<i64>(json!({"output": 4})).unwrap(), 4);
    assert_eq!(of::<Vec<i64>>(json!({"output": [4]})).unwrap(), [4]);
    // The whole object would fit too, but would contain no data.
    let review: Review = of(json!({"output": {"bugs": ["x"]}})).unwrap();
    assert_eq!(review.bugs.unwrap(), ["x"]);
    let review: Review = of(json!({"output": "none"})).unwrap();
    assert_eq!(review, Review::default());
}

#[test]
fn what_the_schema_names_is_no_wrapper() {
    let inside = json!({"output": 4});
    let printed: Printed = of(json!({"output": inside})).unwrap();
    assert_eq!(printed.output, inside);
    let map: BTreeMap<String, i64> = of(json!({"output": 4})).unwrap();
    assert_eq!(map["output"], 4);
    let any: Value = of(json!({"output": 4})).unwrap();
    assert_eq!(any, json!({"output": 4}));
    let either: Either = of(json!({"output": {"sum": 4}})).unwrap();
    assert!(matches!(either, Either::Printed(_)), "{either:?}");
}

#[test]
fn only_that_key_alone_is_a_wrapper() {
    for output in [
        json!({"output": {"sum": 4}, "note": ""}),
        json!({"result": {"sum": 4}}),
        json!({"output": {"output": {"sum": 4}}}),
        json!({}),
    ] {
        let error = of::<Sum>(output.clone()).unwrap_err();
        assert!(error.is_output(), "{error}");
        let Some(TurnResult::Success(result)) = error.turn_result() else {
            panic!("{error}")
        };
        let kept = result.structured_output.as_ref().unwrap();
        assert_eq!(kept.to_value().unwrap(), output);
    }
}

#[test]
fn an_error_is_about_the_whole() {
    let error = of::<BTreeMap<String, i64>>(json!({"output": "four"})).unwrap_err();
    assert!(error.is_output(), "{error}");
    assert!(error.to_string().contains("four"), "{error}");
}
