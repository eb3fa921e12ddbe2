//! JSON Schema of the protocol, for other languages (feature `schema`).
//!
//! The derives make one schema a type, in the form for **code generation**: closed, each definition
//! with its own tags, a union as a list of references. [`files`] makes the form for **validation**
//! of it as well: open, so that kinds of a newer CLI and nulls on optional fields pass, as they do
//! in claw.

mod answers;
mod closed;
mod dialect;
mod facts;
mod files;
mod object;
mod open;
mod union;

pub(crate) use dialect::dialect;
pub use files::{files, identify};
pub(crate) use object::{Mode, ObjectSchema};
pub(crate) use union::UnionSchema;

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// A line as the tree that a validator takes. Where half of a surrogate pair stands in it, which no
/// tree can hold, there is U+FFFD, as [`from_line`](crate::from_line) reads it.
///
/// # Errors
/// When the line is no JSON.
pub fn tree(line: &str) -> serde_json::Result<Value> {
    serde_json::from_str(line).or_else(|error| {
        // The error of the line as it is: it knows the place.
        serde_json::from_str(&crate::wire::repair(line)).map_err(|_| error)
    })
}

/// Text with a meaning of its own (an id).
pub(crate) fn text(docs: &str) -> Schema {
    json_schema!({ "type": "string", "description": tidy(docs) })
}

/// Text with known values, to which a newer CLI may add.
pub(crate) fn open_enum(docs: &str, values: &[(&str, &str)]) -> Schema {
    let known: Vec<_> = values.iter().map(|(value, _)| *value).collect();
    let described: serde_json::Map<_, _> = values
        .iter()
        .map(|(value, docs)| ((*value).to_owned(), tidy(docs).into()))
        .collect();
    json_schema!({
        "type": "string",
        "description": tidy(docs),
        "x-known-values": known,
        "x-value-descriptions": described
    })
}

/// A doc comment as a description: its paragraphs, without the wrapping of the source.
pub(crate) fn tidy(docs: &str) -> String {
    let paragraphs = docs.trim().split("\n\n").map(|paragraph| {
        paragraph
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    });
    // Code examples are Rust: of no use in a schema.
    let paragraphs: Vec<_> = paragraphs.take_while(|p| !p.starts_with("```")).collect();
    paragraphs.join("\n\n")
}

impl schemars::JsonSchema for crate::Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }
    /// Named, so that every language has one name for it. `tsType` is json-schema-to-typescript's
    /// own word: without it that makes an object of a schema that says nothing.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        json_schema!({ "description": "Any JSON.", "tsType": "unknown" })
    }
}

/// Whether a schema is that of [`Json`](crate::Json), with or without a description beside it.
pub(crate) fn is_free(schema: &Value) -> bool {
    refers_to(schema) == Some("Json")
}

/// The definition that a schema is a reference to, with or without a description beside it.
pub(crate) fn refers_to(schema: &Value) -> Option<&str> {
    let reference = match schema.get("allOf").and_then(Value::as_array) {
        Some(all) => all.first().filter(|_| all.len() == 1)?,
        None => schema,
    };
    reference.get("$ref")?.as_str()?.rsplit('/').next()
}

/// Marks what is kept as any JSON and read when it is asked for, with the definition as which.
pub(crate) const READ_LATER: &str = "x-read-later";

/// The schema of what is read later, of the schema of what it is read as.
pub(crate) fn read_later(schema: &Value) -> Schema {
    let name = refers_to(schema).unwrap_or_default();
    json_schema!({ "allOf": [schema], READ_LATER: name })
}

/// A reference that something can stand beside. Generators take a bare `$ref` with neighbours for a
/// type of its own, and number it.
pub(crate) fn reference_inside(schema: Value) -> Value {
    match schema.get("$ref") {
        Some(_) => json!({ "allOf": [schema] }),
        None => schema,
    }
}
