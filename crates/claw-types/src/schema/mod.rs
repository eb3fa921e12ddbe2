//! JSON Schema of the protocol, for other languages (feature `schema`).
//!
//! The derive macros create one schema per type, for **code generation**. These schemas are closed: they contain only
//! the kinds that this version of claw knows. From them, [`files`] also derives schemas for **validation**. The schemas
//! for validation are open: they accept what claw accepts, which includes kinds that only newer CLIs have, and nulls in
//! optional fields.

mod closed;
mod dialect;
mod facts;
mod files;
mod object;
mod open;
#[cfg(test)]
mod tests;
mod union;

pub(crate) use dialect::dialect;
pub(crate) use facts::response;
pub use files::{files, identify};
pub(crate) use object::{Mode, ObjectSchema};
pub(crate) use union::UnionSchema;

pub(crate) use claw_wire::{READ_LATER, refers_to};

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// A text with its own meaning (an ID).
pub(crate) fn text(docs: &str) -> Schema {
    json_schema!({ "type": "string", "description": tidy(docs) })
}

/// A text with known values, to which a newer CLI may add.
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

/// Converts a Rust doc comment into a description for a schema. The function keeps the paragraphs, and removes the
/// links and the line breaks within a paragraph.
pub fn tidy(docs: &str) -> String {
    let paragraphs = docs.trim().split("\n\n").map(|paragraph| {
        paragraph
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !is_target(line))
            .collect::<Vec<_>>()
            .join(" ")
    });
    // Code examples are Rust and therefore useless in a schema.
    let paragraphs: Vec<_> = paragraphs
        .take_while(|p| !p.starts_with("```"))
        .filter(|p| !p.is_empty())
        .map(|p| without_links(&p))
        .collect();
    paragraphs.join("\n\n")
}

/// Whether a line of a doc comment states the target of a link and nothing else.
fn is_target(line: &str) -> bool {
    line.starts_with('[') && line.contains("]: ")
}

/// Replaces links with their texts, because the targets are paths of Rust items. Brackets in code
/// stay.
fn without_links(docs: &str) -> String {
    let mut text = String::with_capacity(docs.len());
    let mut rest = docs;
    while let Some(at) = rest.find(['`', '[']) {
        let (before, here) = rest.split_at(at);
        let (shown, after) = link(here).unwrap_or_else(|| here.split_at(code(here)));
        text.push_str(before);
        text.push_str(shown);
        rest = after;
    }
    text + rest
}

/// Splits what begins with a link into the text of the link and the rest.
fn link(docs: &str) -> Option<(&str, &str)> {
    let (shown, after) = docs.strip_prefix('[')?.split_once(']')?;
    let target = after.strip_prefix('(');
    match target.and_then(|target| target.split_once(')')) {
        Some((_, after)) => Some((shown, after)),
        // A link to what its text names, which is code.
        None => shown.starts_with('`').then_some((shown, after)),
    }
}

/// Returns the length of the code at the start of a text, or that of one bracket or backtick.
fn code(docs: &str) -> usize {
    let code = docs.strip_prefix('`').and_then(|code| code.find('`'));
    code.map_or(1, |length| length + 2)
}

/// Whether a schema is that of [`Json`](crate::Json), with or without a description beside it.
pub(crate) fn is_free(schema: &Value) -> bool {
    refers_to(schema) == Some("Json")
}

/// Wraps a reference so that other keys can be beside it. Generators treat a `$ref` with siblings
/// as a separate, numbered type.
pub(crate) fn reference_inside(schema: Value) -> Value {
    match schema.get("$ref") {
        Some(_) => json!({ "allOf": [schema] }),
        None => schema,
    }
}
