//! The schema of a union: a list of references, nothing beside them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::tidy;

pub(crate) struct UnionSchema {
    docs: String,
    members: Vec<Value>,
}

impl UnionSchema {
    pub(crate) fn new(docs: &str) -> Self {
        Self {
            docs: tidy(docs),
            members: Vec::new(),
        }
    }

    pub(crate) fn member<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator) {
        self.members.push(generator.subschema_for::<T>().to_value());
    }

    /// All members of another union, those that this one has too but once.
    pub(crate) fn rest<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator) {
        let union = T::json_schema(generator).to_value();
        if let Some(Value::Array(members)) = union.get("oneOf") {
            for member in members {
                if !self.members.contains(member) {
                    self.members.push(member.clone());
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Schema {
        json_schema!({ "description": self.docs, "oneOf": self.members })
    }
}
