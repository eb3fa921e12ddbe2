//! JSON Schema of free-form JSON (feature `schema`).

use schemars::{Schema, json_schema};
use serde_json::Value;

/// Returns the definition that a schema refers to, with or without a description beside it.
pub fn refers_to(schema: &Value) -> Option<&str> {
    let reference = match schema.get("allOf").and_then(Value::as_array) {
        Some(all) => all.first().filter(|_| all.len() == 1)?,
        None => schema,
    };
    reference.get("$ref")?.as_str()?.rsplit('/').next()
}

/// The schema key that marks JSON which is kept unchanged and parsed on request. Its value is the
/// definition of the type.
pub const READ_LATER: &str = "x-read-later";

/// Returns the schema of JSON that is parsed on request, from the schema of its type.
pub fn read_later(schema: &Value) -> Schema {
    let name = refers_to(schema).unwrap_or_default();
    json_schema!({ "allOf": [schema], READ_LATER: name })
}
