//! Checks that every description in a schema can be understood alone, because an editor shows a single description to
//! the reader.

use serde_json::Value;

/// Words with which no description may begin, because they refer to a text that the reader does not see.
const POINTERS: [&str; 16] = [
    "That", "It", "At", "One", "The same", "How it", "They", "What it", "This is", "Its", "Who",
    "Whose", "So", "There", "Those", "These",
];

/// Words that begin a question. A short text that begins with one of them is not a sentence.
const QUESTIONS: [&str; 5] = ["What", "How", "Why", "When", "Where"];

/// A text that begins with such a word must have more words than this.
const FRAGMENT_WORDS: usize = 5;

const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 15;

/// Returns the fault of a description, or `None` if it has none.
fn fault(text: &str) -> Option<String> {
    let begins = |with: &str| {
        let rest = text.strip_prefix(with);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    if let Some(pointer) = POINTERS.iter().find(|pointer| begins(pointer)) {
        return Some(format!("begins with \"{pointer}\""));
    }
    let words = text.split_whitespace().count();
    if words <= FRAGMENT_WORDS && QUESTIONS.iter().any(|question| begins(question)) {
        return Some("is a fragment of a question".to_owned());
    }
    let characters = text.chars().count();
    (words < LEAST_WORDS || characters < LEAST_CHARACTERS).then(|| "is too short".to_owned())
}

/// Whether a property needs no description. This is the case for the tag of an object, which has one possible value,
/// and for a reference, whose definition has the description.
fn is_plain(property: &Value) -> bool {
    let values = property.get("enum").and_then(Value::as_array);
    values.is_some_and(|values| values.len() == 1)
        || ["const", "$ref"]
            .iter()
            .any(|key| property.get(key).is_some())
}

/// Adds the faults of a schema and of all schemas inside it, one line for each fault.
fn look(schema: &Value, path: &str, found: &mut Vec<String>) {
    let mut judge = |path: String, text: Option<&Value>| match text.and_then(Value::as_str) {
        None => found.push(format!("{path} has no description")),
        Some(text) => {
            found.extend(fault(text).map(|fault| format!("{path} {fault}: {text:?}")));
        }
    };
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            for (index, item) in items.iter().enumerate() {
                look(item, &format!("{path}/{index}"), found);
            }
        }
        return;
    };
    let children = |key: &str| {
        members
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    };
    for (name, definition) in children("$defs") {
        judge(
            format!("{path}/$defs/{name}"),
            definition.get("description"),
        );
    }
    for (name, property) in children("properties").filter(|(_, property)| !is_plain(property)) {
        let path = format!("{path}/properties/{name}");
        judge(path, property.get("description"));
    }
    let known = members.get("x-known-values").and_then(Value::as_array);
    for value in known.into_iter().flatten().filter_map(Value::as_str) {
        let texts = members.get("x-value-descriptions");
        let text = texts.and_then(|texts| texts.get(value));
        judge(format!("{path}/x-value-descriptions/{value}"), text);
    }
    // A schema in `not` or `if` only distinguishes forms of values, so it needs no descriptions.
    for (key, child) in members
        .iter()
        .filter(|(key, _)| *key != "not" && *key != "if")
    {
        look(child, &format!("{path}/{key}"), found);
    }
}

#[test]
fn every_description_stands_alone() {
    let mut found = Vec::new();
    for (file, text) in super::generated().unwrap() {
        if file.ends_with(".schema.json") {
            look(&serde_json::from_str(&text).unwrap(), &file, &mut found);
        }
    }
    let (count, found) = (found.len(), found.join("\n"));
    assert!(
        count == 0,
        "{count} descriptions do not stand alone:\n{found}"
    );
}

#[test]
fn a_description_that_points_elsewhere_or_says_nothing_is_found() {
    for (text, expected) in [
        ("It is the ID of the session.", Some("begins with \"It\"")),
        (
            "The same for the sub-agent.",
            Some("begins with \"The same\""),
        ),
        ("At most so hard.", Some("begins with \"At\"")),
        ("How long it took.", Some("is a fragment of a question")),
        ("A file.", Some("is too short")),
        ("The ID.", Some("is too short")),
        ("Items of the list, oldest first.", None),
        ("Attempts so far, from 1.", None),
        ("The sameness of both files, from 0 to 1.", None),
    ] {
        assert_eq!(fault(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn what_has_no_description_is_named_by_schema_and_path() {
    let schema = serde_json::json!({
        "$defs": {"A": {
            "description": "A thing with a type and a name.",
            "properties": {
                "type": {"enum": ["a"]},
                "name": {"type": "string"},
                "mode": {"description": "The mode of the thing.",
                    "x-known-values": ["on"], "x-value-descriptions": {"on": "They are."}},
            },
            "not": {"properties": {"x": {}}},
        }},
    });
    let mut found = Vec::new();
    look(&schema, "s.json", &mut found);
    assert_eq!(
        found,
        [
            "s.json/$defs/A/properties/name has no description",
            "s.json/$defs/A/properties/mode/x-value-descriptions/on begins with \"They\": \
             \"They are.\"",
        ]
    );
}
