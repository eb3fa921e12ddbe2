//! The schema of a union: a list of references and nothing else.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::{refers_to, tidy};

/// The keys that distinguish members without tags: each of the keys belongs to one member alone.
pub(super) const DISTINGUISHED_BY: &str = "x-told-by";

/// The members that are not part of the official SDK's published types and may change without
/// notice. An object that has the tags of such a member but another form is of an unknown kind.
pub(super) const LENIENT: &str = "x-internal";

pub(crate) struct UnionSchema {
    docs: String,
    members: Vec<Value>,
    distinguished_by: &'static [&'static str],
    /// The names of the members that may have another form.
    lenient: Vec<Value>,
}

impl UnionSchema {
    pub(crate) fn new(docs: &str) -> Self {
        Self {
            docs: tidy(docs),
            members: Vec::new(),
            distinguished_by: &[],
            lenient: Vec::new(),
        }
    }

    pub(crate) fn member<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator) {
        self.members.push(generator.subschema_for::<T>().to_value());
    }

    /// Adds all members of another union, without duplicates.
    pub(crate) fn rest<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator) {
        let union = T::json_schema(generator).to_value();
        if let Some(Value::Array(members)) = union.get("oneOf") {
            for member in members {
                if !self.members.contains(member) {
                    self.members.push(member.clone());
                }
            }
        }
        if let Some(Value::Array(lenient)) = union.get(LENIENT) {
            self.lenient.extend(lenient.iter().cloned());
        }
    }

    /// Marks the members so far as lenient: an object of another form is of an unknown kind.
    pub(crate) fn lenient(&mut self) {
        let names = self.members.iter().filter_map(refers_to);
        self.lenient = names.map(Value::from).collect();
    }

    /// States the keys that each of the members alone has, which have no tags.
    pub(crate) fn distinguished_by(mut self, keys: &'static [&'static str]) -> Self {
        self.distinguished_by = keys;
        self
    }

    pub(crate) fn finish(self) -> Schema {
        let mut schema = json_schema!({ "description": self.docs, "oneOf": self.members });
        if !self.lenient.is_empty() {
            schema.insert(LENIENT.to_owned(), self.lenient.into());
        }
        if !self.distinguished_by.is_empty() {
            schema.insert(DISTINGUISHED_BY.to_owned(), self.distinguished_by.into());
        }
        schema
    }
}
