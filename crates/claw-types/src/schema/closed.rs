//! The bundle for code generation: every definition once, closed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::facts::references;

/// Open enumerations that distinguish kinds. In the closed form they have only their known values,
/// so that the other kinds can be distinguished from them. A future kind fits no closed form
/// anyway.
const TAGS: [&str; 2] = ["ResultErrorSubtype", "McpStdioKind"];

/// Creates a bundle of definitions. Its root lists the entry points: the definitions to which no
/// other definition refers.
pub(super) fn bundle(mut definitions: Map<String, Value>) -> Value {
    for name in TAGS {
        if let Some(definition) = definitions.get_mut(name) {
            definition["enum"] = definition["x-known-values"].clone();
        }
    }
    // With `true` it is a UserMessageReplay.
    if let Some(user) = definitions.get_mut("UserMessage") {
        user["properties"]["isReplay"]["enum"] = json!([false]);
    }
    definitions.values_mut().for_each(unbounded_items);
    let mut definitions: Map<_, _> = definitions.into_iter().flat_map(with_values).collect();
    // Some generators name a type after the place in which they first find it, unless it has a
    // title.
    for (name, definition) in &mut definitions {
        definition["title"] = name.as_str().into();
    }
    let inner: BTreeSet<_> = definitions.values().flat_map(references).collect();
    let entries: Map<_, _> = definitions
        .keys()
        .filter(|name| !inner.contains(name.as_str()))
        .map(|name| (key(name), json!({ "$ref": format!("#/$defs/{name}") })))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Claw",
        "description": "Every definition of the Claude Code stream-json protocol, for code generation. \
            No line is a `Claw`: its properties list the entry points.",
        "type": "object",
        "properties": entries,
        "$defs": definitions
    })
}

/// Returns an open enumeration as generators read it: the known values become a definition of their
/// own (`PermissionModeKnown`), and the enumeration is that or any other text. Any other definition
/// is unchanged.
///
/// A `oneOf` of disjoint members, because typify creates an enum from nothing else. It turns the
/// titles into the variants `Known` and `Other`. `tsType` keeps TypeScript from merging the
/// literals into `string`.
fn with_values((name, mut definition): (String, Value)) -> Vec<(String, Value)> {
    let is_open = definition.get("enum").is_none();
    let Some(object) = definition.as_object_mut().filter(|_| is_open) else {
        return vec![(name, definition)];
    };
    let (Some(values), Some(described)) = (
        object.remove("x-known-values"),
        object.remove("x-value-descriptions"),
    ) else {
        return vec![(name, definition)];
    };
    let values_of_it = values.as_array().into_iter().flatten();
    let values_of_it = values_of_it.filter_map(Value::as_str);
    let mut list = format!("The known values of `{name}`:\n");
    let mut members = Vec::new();
    for value in values_of_it {
        let description = described[value].as_str().unwrap_or_default();
        let _ = write!(list, "\n- `{value}`: {}", description.replace('\n', " "));
        members.push(json!({ "type": "string", "const": value, "description": description }));
    }
    let known = json!({
        "description": list,
        "oneOf": members,
        // A class in Python, where other constant values become a `Literal`.
        "x-enum-field-as-literal": false
    });
    let known_name = format!("{name}Known");
    object.remove("type");
    object.insert(
        "oneOf".to_owned(),
        json!([
            { "$ref": format!("#/$defs/{known_name}") },
            {
                "title": format!("{name}Other"),
                "description": "A value that these definitions do not know.",
                "type": "string",
                "not": { "enum": values },
                "tsType": "string & {}"
            }
        ]),
    );
    vec![(name, definition), (known_name, known)]
}

/// Removes the bound from counts in lists, because pydantic's generator creates a class for each.
fn unbounded_items(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(items)) = map.get_mut("items")
                && items.get("type").is_some_and(|kind| kind == "integer")
            {
                items.remove("minimum");
            }
            map.values_mut().for_each(unbounded_items);
        }
        Value::Array(items) => items.iter_mut().for_each(unbounded_items),
        _ => {}
    }
}

/// Converts `QueryOptions` into `queryOptions`.
fn key(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
