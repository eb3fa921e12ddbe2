//! The conversion from the closed form to the open one.

use serde_json::{Map, Value, json};

use super::object::EXPECTED;
use super::union::{DISTINGUISHED_BY, LENIENT};
use super::{READ_LATER, is_free, refers_to};

/// Opens a root schema and all its definitions: optional fields accept null, and a union accepts
/// any object whose tags match none of its members, or a lenient one.
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
    distinguish(root);
    loosen(root);
    bound(root);
}

/// Sets the bound of a count: a 64-bit integer.
fn bound(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(bound);
            let is_count = map.get("minimum").is_some_and(|minimum| *minimum == 0)
                && map
                    .get("type")
                    .is_some_and(|t| t == "integer" || t[0] == "integer");
            if is_count {
                map.insert(
                    "exclusiveMaximum".to_owned(),
                    18_446_744_073_709_551_616_f64.into(),
                );
            }
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
}

/// Lets JSON that is parsed on request be any JSON.
fn loosen(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key(READ_LATER) {
                map.remove("allOf");
                map.remove("anyOf");
            }
            map.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Replaces unions that a reader distinguishes by one key. A hook's output with `"async": true` is
/// asynchronous, and inline settings are an object. An MCP server without a `type`, or with one
/// that is not text, is a program; serde checks nothing else. (Generators do not know `if`, so the
/// closed form has a choice of two.)
fn distinguish(root: &mut Value) {
    if let Some(sync) = root.pointer_mut("/$defs/HookOutput/anyOf/1") {
        let is_async =
            json!({ "required": ["async"], "properties": { "async": { "enum": [true] } } });
        *sync = json!({ "allOf": [sync, { "not": is_async }] });
    }
    if let Some(inline) = root.pointer_mut("/$defs/SettingsOrPath/anyOf/1") {
        *inline = json!({ "type": "object", READ_LATER: inline[READ_LATER] });
    }
    let Some(config) = root.pointer_mut("/$defs/McpServerConfig") else {
        return;
    };
    if let Some(object) = config.as_object_mut() {
        object.remove("anyOf");
    }
    config["if"] = json!({
        "required": ["type"],
        "properties": { "type": { "type": "string", "not": { "enum": ["stdio"] } } }
    });
    config["then"] = json!({ "$ref": "#/$defs/McpOtherServer" });
    config["else"] = json!({ "$ref": "#/$defs/McpStdioServer" });
}

fn open_one(schema: &mut Value, definitions: &Map<String, Value>) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(members)) = object.remove("oneOf") {
        let mut known: Vec<_> = members
            .iter()
            .map(|m| tags(m, definitions).unwrap_or_default())
            .collect();
        only_needed(&mut known);
        let lenient = object.get(LENIENT).and_then(Value::as_array);
        let is_lenient: Vec<_> = members
            .iter()
            .map(|member| {
                let name = refers_to(member).map(Value::from);
                lenient
                    .zip(name)
                    .is_some_and(|(all, name)| all.contains(&name))
            })
            .collect();
        let mut any: Vec<_> = members
            .into_iter()
            .zip(&known)
            .map(|(member, tags)| without_narrower(member, tags, &known))
            .collect();
        // A member without tags does not identify a kind.
        let strict = known.iter().zip(is_lenient);
        let strict = strict.filter(|(tags, is_lenient)| !tags.is_empty() && !is_lenient);
        let mut known: Vec<_> = strict.map(|(tags, _)| with_tags(tags)).collect();
        if let Some(Value::Array(keys)) = object.get(DISTINGUISHED_BY) {
            for (member, key) in any.iter_mut().zip(keys) {
                let has_key = json!({ "required": [key] });
                *member = json!({ "allOf": [member, has_key] });
                known.push(has_key);
            }
        }
        any.push(json!({
            "description": "A kind that these definitions do not know.",
            "type": "object",
            "not": { "anyOf": known }
        }));
        object.insert("anyOf".to_owned(), any.into());
    }
    let expected: Vec<_> = object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(_, property)| property.get(EXPECTED).is_some())
        .map(|(key, _)| Value::from(key.as_str()))
        .collect();
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|key| !expected.contains(key));
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

/// Lets a property also be null.
fn take_null(property: &mut Value) {
    if is_free(property) {
        return;
    }
    let Some(object) = property.as_object_mut() else {
        return;
    };
    let null = json!({ "type": "null" });
    if object.get("type").is_some_and(Value::is_array) {
        return;
    }
    if let Some(Value::Array(any)) = object.get_mut("anyOf") {
        if !any.contains(&null) {
            any.push(null);
        }
        return;
    }
    // The description of the property stays outside.
    let (outside, inside): (Map<_, _>, Map<_, _>) = std::mem::take(object)
        .into_iter()
        .partition(|(key, _)| key == "description" || key.starts_with("x-"));
    *object = outside;
    let inside = match inside.get("allOf").and_then(Value::as_array) {
        Some(all) if all.len() == 1 => all[0].clone(),
        _ => inside.into(),
    };
    // Not `json!([inside, null])`, where `null` is a JSON literal.
    object.insert("anyOf".to_owned(), vec![inside, null].into());
}

/// Returns a member without the objects that have all tags of a narrower member: they belong only
/// to the narrower member.
fn without_narrower(member: Value, tags: &Tags, known: &[Tags]) -> Value {
    let narrower: Vec<_> = known
        .iter()
        .filter(|other| {
            other.len() > tags.len()
                && tags
                    .iter()
                    .all(|(key, value)| other.get(key) == Some(value))
        })
        .map(with_tags)
        .collect();
    if narrower.is_empty() {
        member
    } else {
        json!({ "allOf": [member, { "not": { "anyOf": narrower } }] })
    }
}

/// Keys that have only one possible value, with that value.
type Tags = Map<String, Value>;

/// Returns the tags of a member.
fn tags(member: &Value, definitions: &Map<String, Value>) -> Option<Tags> {
    let name = member.get("$ref")?.as_str()?.rsplit('/').next()?;
    let definition = definitions.get(name)?;
    let properties = definition.get("properties")?.as_object()?;
    let required = definition.get("required")?.as_array()?;
    let tags = properties
        .iter()
        .filter(|(key, _)| required.iter().any(|required| required == *key))
        .filter_map(|(key, property)| Some((key.clone(), property.get("enum")?.clone())))
        .collect();
    Some(tags)
}

/// Reduces each member's tags to the texts, and to what else is needed to distinguish it from one
/// with the same texts: a replay is distinguished by `"isReplay": true`, but not every `true`
/// identifies a kind.
fn only_needed(known: &mut [Tags]) {
    let texts: Vec<Tags> = known
        .iter()
        .map(|tags| {
            let texts = tags.iter().filter(|(_, values)| values[0].is_string());
            texts
                .map(|(key, values)| (key.clone(), values.clone()))
                .collect()
        })
        .collect();
    for (at, tags) in known.iter_mut().enumerate() {
        if texts.iter().filter(|other| **other == texts[at]).count() == 1 {
            tags.clone_from(&texts[at]);
        }
    }
}

/// Any object that has these tags.
fn with_tags(tags: &Tags) -> Value {
    let mut keys: Vec<_> = tags.keys().cloned().collect();
    // The order of a map's keys depends on the features of the build.
    keys.sort_unstable();
    let properties: Map<_, _> = tags
        .iter()
        .map(|(key, values)| (key.clone(), json!({ "enum": values })))
        .collect();
    json!({ "required": keys, "properties": properties })
}
