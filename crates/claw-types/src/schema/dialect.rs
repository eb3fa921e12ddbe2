//! The schema of a line in any form, as [`crate::dialect::from_line`] reads it.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::refers_to;
use crate::wire::Tags;
use crate::{StdinMessage, StdoutMessage};

/// Returns the schema of lines in the current form, including unknown ones, and of the old forms,
/// each with its tags.
pub(crate) fn dialect(generator: &mut SchemaGenerator, forms: &[(Tags, Value)]) -> Schema {
    let mut any = vec![generator.subschema_for::<StdoutMessage>().to_value()];
    // Without the unknown lines of stdin: on stdout they may be known and malformed.
    let stdin = <StdinMessage as schemars::JsonSchema>::json_schema(generator).to_value();
    any.extend(stdin["oneOf"].as_array().into_iter().flatten().cloned());
    any.extend(forms.iter().map(|(tags, form)| {
        let mut not: Vec<_> = forms
            .iter()
            .filter(|(other, _)| {
                (1..other.len()).contains(&tags.len()) && tags.iter().all(|tag| other.contains(tag))
            })
            .map(|(other, _)| with_tags(other))
            .collect();
        not.extend(today(form));
        if not.is_empty() {
            form.clone()
        } else {
            json!({ "allOf": [form, { "not": { "anyOf": not } }] })
        }
    }));
    json_schema!({
        "description": "A line in an older form, or in today's form of either direction.",
        "anyOf": any
    })
}

/// An object of another form, by its tags.
fn with_tags(tags: Tags) -> Value {
    let keys: Vec<_> = tags.iter().map(|(key, _)| *key).collect();
    let properties: serde_json::Map<_, _> = tags
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!({ "enum": [value] })))
        .collect();
    json!({ "required": keys, "properties": properties })
}

/// The lines that have the tags of an old form but are not old, by their other tags.
fn today(form: &Value) -> Option<Value> {
    let there = json!({ "not": { "type": "null" } });
    match refers_to(form)? {
        "OldRateLimitEvent" => Some(json!({
            "required": ["rate_limit_info", "uuid", "session_id"],
            "properties": { "rate_limit_info": there, "uuid": there, "session_id": there }
        })),
        // The only form without a tag: a line with a tag is of another kind.
        "OldStreamEvent" => Some(json!({ "required": ["type"] })),
        _ => None,
    }
}
