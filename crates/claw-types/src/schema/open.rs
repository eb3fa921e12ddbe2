//! From the closed form to the open one.

use serde_json::{Map, Value, json};

/// Opens a root schema and all its definitions: optional fields take null, and a union takes any
/// object whose tags name none of its members.
pub(super) fn open(root: &mut Value) {
    let definitions = root
        .get("$defs")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let Some(all) = root.get_mut("$defs").and_then(Value::as_object_mut) {
        for definition in all.values_mut() {
            open_one(definition, &definitions);
        }
    }
    open_one(root, &definitions);
}

fn open_one(schema: &mut Value, definitions: &Map<String, Value>) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(members)) = object.remove("oneOf") {
        let known: Vec<_> = members
            .iter()
            .filter_map(|m| tags(m, definitions))
            .collect();
        let mut any = members;
        any.push(json!({
            "description": "A kind that these definitions do not know.",
            "type": "object",
            "not": { "anyOf": known }
        }));
        object.insert("anyOf".to_owned(), any.into());
    }
    let required: Vec<_> = object
        .get("required")
        .and_then(Value::as_array)
        .map(|keys| {
            keys.iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default();
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        for (key, property) in properties {
            if !required.contains(key) {
                take_null(property);
            }
        }
    }
}

/// Lets a property be null too.
fn take_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else {
        return;
    };
    let is_free = !["type", "$ref", "anyOf"]
        .iter()
        .any(|key| object.contains_key(*key));
    let null = json!({ "type": "null" });
    if is_free {
        return;
    }
    if let Some(Value::Array(any)) = object.get_mut("anyOf") {
        if !any.contains(&null) {
            any.push(null);
        }
        return;
    }
    // What describes the property stays outside.
    let (outside, inside): (Map<_, _>, Map<_, _>) = std::mem::take(object)
        .into_iter()
        .partition(|(key, _)| key == "description" || key.starts_with("x-"));
    *object = outside;
    // Not `json!([inside, null])`: there `null` is a word of JSON's own.
    object.insert("anyOf".to_owned(), vec![inside.into(), null].into());
}

/// An object with a member's tags. `None` for a member without any: it does not speak for a kind.
fn tags(member: &Value, definitions: &Map<String, Value>) -> Option<Value> {
    let name = member.get("$ref")?.as_str()?.rsplit('/').next()?;
    let properties = definitions.get(name)?.get("properties")?.as_object()?;
    let tags: Map<_, _> = properties
        .iter()
        .filter(|(_, property)| property.get("enum").is_some())
        .map(|(key, property)| (key.clone(), json!({ "enum": property["enum"] })))
        .collect();
    let keys: Vec<_> = tags.keys().cloned().collect();
    if keys.is_empty() {
        return None;
    }
    Some(json!({ "required": keys, "properties": tags }))
}
