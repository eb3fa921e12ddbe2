//! The schema of an object, as the derive macro states it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{is_free, reference_inside, tidy};

/// The presence of a key in an object.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Required,
    Optional,
    /// The key is optional, but every known kind has it. The closed form of the schema requires it.
    Expected,
    Nullable,
    Tri,
}

/// Marks a property that is required in the closed form only.
pub(super) const EXPECTED: &str = "x-expected";

pub(crate) struct ObjectSchema {
    docs: String,
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl ObjectSchema {
    pub(crate) fn new(docs: &str) -> Self {
        Self {
            docs: tidy(docs),
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    /// Adds a constant key. An `enum` with one value: generators that turn `const` into any text
    /// can narrow on it.
    pub(crate) fn tag(&mut self, key: &str, value: &str) {
        self.properties
            .insert(key.to_owned(), json!({ "type": "string", "enum": [value] }));
        self.required.push(key.to_owned());
    }

    pub(crate) fn field<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        key: &str,
        mode: Mode,
        docs: &str,
        since: Option<&str>,
    ) {
        let mut value = generator.subschema_for::<T>().to_value();
        if matches!(mode, Mode::Nullable | Mode::Tri) && !is_free(&value) {
            value = or_null(value);
        }
        let Value::Object(mut value) = reference_inside(value) else {
            return;
        };
        value.insert("description".to_owned(), tidy(docs).into());
        if let Some(since) = since {
            value.insert("x-since".to_owned(), since.into());
        }
        if matches!(mode, Mode::Expected) {
            value.insert(EXPECTED.to_owned(), true.into());
        }
        self.properties.insert(key.to_owned(), Value::Object(value));
        if matches!(mode, Mode::Required | Mode::Nullable | Mode::Expected) {
            self.required.push(key.to_owned());
        }
    }

    pub(crate) fn finish(self) -> Schema {
        json_schema!({
            "type": "object",
            "description": self.docs,
            "properties": self.properties,
            "required": self.required
        })
    }
}

/// Returns a schema that also accepts null. A plain type stays one, because generators give a
/// limited number in a choice its own name.
fn or_null(mut schema: Value) -> Value {
    match schema.get("type").and_then(Value::as_str) {
        Some(plain) if schema.get("enum").is_none() => {
            schema["type"] = vec![plain, "null"].into();
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}
