//! Tests that the output of this crate is valid for its JSON Schema.

use claw_types::{Message, from_line};
use claw_view::Flow;
use claw_view::progress::Tracker;
use claw_view::wrapper::Translator;
use serde_json::{Value, json};

use crate::sessions::{fed, sessions};

fn validator() -> jsonschema::Validator {
    let files = claw_view::schema::files();
    let view = files
        .into_iter()
        .find(|(path, _)| *path == "view.schema.json");
    jsonschema::validator_for(&view.unwrap().1).unwrap()
}

#[track_caller]
fn fits(validator: &jsonschema::Validator, value: &Value) {
    let found: Vec<_> = validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect();
    assert!(found.is_empty(), "{found:?}: {value:#}");
}

#[test]
fn what_recordings_come_to_fits_the_schema() {
    let validator = validator();
    let mut kinds = std::collections::BTreeSet::new();
    for session in sessions() {
        for lines in session.files() {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            let (elements, changes, _) = fed(lines.iter().copied());
            for element in elements.iter() {
                kinds.insert(element.kind());
                let json = serde_json::to_value(element).unwrap();
                fits(&validator, &json);
                let back: claw_view::Element = serde_json::from_value(json).unwrap();
                assert_eq!(back, *element);
            }
            for change in changes {
                fits(&validator, &serde_json::to_value(&change).unwrap());
            }
            let mut translator = Translator::default();
            let mut tracker = Tracker::new();
            for line in &lines {
                if let Ok(message) = from_line::<Message>(line.as_bytes()) {
                    for progress in tracker.push(&message) {
                        fits(&validator, &serde_json::to_value(&progress).unwrap());
                    }
                    for sent in translator.message(&message) {
                        fits(&validator, &serde_json::to_value(&sent.message).unwrap());
                    }
                }
            }
        }
    }
    // The recordings contain all kinds of elements except those that only hosts add.
    assert!(kinds.len() >= 16, "{kinds:?}");
    for violation in Flow::check([
        "{",
        "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"\"}",
    ]) {
        fits(&validator, &serde_json::to_value(&violation).unwrap());
    }
}

#[test]
fn what_is_not_so_does_not_fit() {
    let validator = validator();
    for wrong in [
        json!({}),
        json!({"id": "1"}),
        json!({"type": "claude_response", "content": "x"}),
        json!({"change": "removed", "value": 1}),
        json!({"line": 1, "rule": "unheard", "text": "x"}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}
