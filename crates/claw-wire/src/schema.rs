//! JSON Schema of free-form JSON (feature `schema`).

use schemars::{Schema, json_schema};
use serde_json::Value;

/// Returns the name of the definition to which a schema refers. The schema may have a description beside its reference.
pub fn refers_to(schema: &Value) -> Option<&str> {
    let reference = match schema.get("allOf").and_then(Value::as_array) {
        Some(all) => all.first().filter(|_| all.len() == 1)?,
        None => schema,
    };
    reference.get("$ref")?.as_str()?.rsplit('/').next()
}

/// A key in a schema. It marks JSON that is kept unchanged and parsed on request. The value of the key is the name of
/// the schema definition for the type that the JSON is parsed as.
pub const READ_LATER: &str = "x-read-later";

/// Returns the schema for JSON that is kept unchanged and parsed on request. `schema` is the schema of the type that
/// the JSON is parsed as.
pub fn read_later(schema: &Value) -> Schema {
    let name = refers_to(schema).unwrap_or_default();
    json_schema!({ "allOf": [schema], READ_LATER: name })
}
