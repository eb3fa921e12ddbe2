//! JSON Schema of the protocol, for other languages (feature `schema`).
//!
//! The derives make one schema a type, in the form for **code generation**: closed, each definition
//! with its own tags, a union as a list of references. [`files`] makes the form for **validation**
//! of it as well: open, so that kinds of a newer CLI and nulls on optional fields pass, as they do
//! in claw.

mod files;
mod object;
mod open;
mod union;

pub use files::files;
pub(crate) use object::{Mode, ObjectSchema};
pub(crate) use union::UnionSchema;

use schemars::{Schema, json_schema};

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
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        json_schema!({})
    }
}
