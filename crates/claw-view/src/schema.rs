//! JSON Schemas of the types of this crate, together with those of the protocol (feature `schema`).
//!
//! All schemas of the project have the same form. A union is a list of references. Each member of the union contains
//! its tag as a property with one value. If a reference has other keywords beside it, the reference is wrapped in
//! `allOf`.

use std::collections::BTreeSet;

use claw_types::schema::{identify, tidy};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::progress::Progress;
use crate::wrapper::WrapperMessage;
use crate::{Change, Element, Violation};

#[cfg(test)]
mod tests;

/// Returns all schema files of the project, each with its path under `schemas/`. They are the files of
/// [`claw_types::schema`], and `view.schema.json` for the types of this crate.
pub fn files() -> Vec<(&'static str, Value)> {
    let mut files = claw_types::schema::files();
    files.push(("view.schema.json", view()));
    files
}

fn view() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let roots = [
        generator.subschema_for::<Element>(),
        generator.subschema_for::<Change>(),
        generator.subschema_for::<Progress>(),
        generator.subschema_for::<WrapperMessage>(),
        generator.subschema_for::<Violation>(),
    ];
    let definitions = in_form(generator.take_definitions(true), &BTreeSet::new(), "view");
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "View",
        "description": "What a person looks at: an element, a change of one, how far something has come, what \
            a wrapper says to its client, a rule that a recording breaks.",
        "anyOf": roots,
        "$defs": definitions
    });
    identify(&mut root, "view");
    root
}

/// Brings definitions into the form that all schemas of the project have. Each definition gets the key `x-direction`
/// with the value `direction`. A member of a union gets the tag of the union as a property. A member remains a separate
/// definition if its name is in `used` or if another definition refers to it.
pub fn in_form(
    mut definitions: Map<String, Value>,
    used: &BTreeSet<String>,
    direction: &str,
) -> Map<String, Value> {
    let (mut once, mut shared) = (BTreeSet::new(), used.clone());
    for definition in definitions.values() {
        referred(definition, &mut |name| {
            if !once.insert(name.to_owned()) {
                shared.insert(name.to_owned());
            }
        });
    }
    let names: Vec<_> = definitions.keys().cloned().collect();
    for name in names {
        let members = definitions
            .get_mut(&name)
            .and_then(|union| union.get_mut("oneOf"));
        let Some(members) = members.and_then(Value::as_array_mut).map(std::mem::take) else {
            continue;
        };
        if members.iter().all(|member| member.get("const").is_some()) {
            definitions[&name] = enumeration(&definitions[&name]["description"], &members);
            continue;
        }
        let members: Vec<_> = members
            .into_iter()
            .map(|member| reference(&name, member, &mut definitions, &shared))
            .collect();
        definitions[&name]["oneOf"] = members.into();
    }
    for definition in definitions.values_mut() {
        normalize(definition);
        definition["x-direction"] = json!([direction]);
    }
    definitions
}

/// Returns a schema for the values of a string enumeration. It describes each value.
fn enumeration(description: &Value, members: &[Value]) -> Value {
    let values: Vec<_> = members.iter().map(|member| &member["const"]).collect();
    let meanings = members.iter().filter_map(|member| {
        let value = member["const"].as_str()?;
        Some((
            value.to_owned(),
            tidy(member["description"].as_str()?).into(),
        ))
    });
    json!({
        "type": "string",
        "description": description,
        "enum": values,
        "x-value-descriptions": meanings.collect::<Map<_, _>>()
    })
}

/// Returns a reference to a member of a union. The tag of the member moves to the definition that is referenced.
fn reference(
    union: &str,
    mut member: Value,
    definitions: &mut Map<String, Value>,
    shared: &BTreeSet<String>,
) -> Value {
    let properties = member["properties"].as_object();
    let tag = properties.and_then(|all| all.values().find_map(|one| one["const"].as_str()));
    let own = format!("{union}{}", in_camel_case(tag.unwrap_or_default()));
    let own_target = format!("#/$defs/{own}");
    let Some(mut target) = member["$ref"].as_str().map(str::to_owned) else {
        definitions.insert(own, member);
        return json!({ "$ref": own_target });
    };
    let mut name = target.rsplit('/').next().unwrap_or_default().to_owned();
    if shared.contains(&name) {
        definitions.insert(own.clone(), definitions[&name].clone());
        (name, target) = (own, own_target);
    }
    let definition = &mut definitions[&name];
    for (key, tag) in member["properties"].as_object_mut().into_iter().flatten() {
        definition["properties"][key] = tag.take();
        if let Some(required) = definition["required"].as_array_mut() {
            required.insert(0, key.as_str().into());
        }
    }
    json!({ "$ref": target })
}

/// Converts a tag such as `session/list` or `session_list` to a name such as `SessionList`.
fn in_camel_case(tag: &str) -> String {
    let words = tag.split(['_', '/']).map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// Calls `found` for each reference in a schema, with the name of the definition to which the reference points.
pub fn referred(schema: &Value, found: &mut impl FnMut(&str)) {
    match schema {
        Value::Object(map) => {
            let target = map.get("$ref").and_then(Value::as_str);
            if let Some(name) = target.and_then(|target| target.strip_prefix("#/$defs/")) {
                found(name);
            }
            map.values().for_each(|value| referred(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| referred(item, found)),
        _ => {}
    }
}

/// Brings a schema and all schemas inside it into the form that all schemas of the project have.
pub fn normalize(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.remove("format");
            if let Some(only) = map.remove("const") {
                map.insert("enum".to_owned(), vec![only].into());
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = tidy(text);
            }
            if map.len() > 1
                && let Some(target) = map.remove("$ref")
            {
                map.insert("allOf".to_owned(), json!([{ "$ref": target }]));
            }
            map.values_mut().for_each(normalize);
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        _ => {}
    }
}
