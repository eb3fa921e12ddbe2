//! The model of the protocol from which packages are generated: every definition of the bundle, in an order that does not
//! depend on the machine, and the kinds of meta.json.
//!
//! A language needs only what is here. It does not read the schemas by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use xtask::run::Result;

pub(crate) mod api;
mod read;
mod reading;
#[cfg(test)]
mod tests;

pub(crate) use reading::Reading;

/// Every definition of the bundle.
pub(crate) struct Model {
    /// The version of the schemas.
    pub schema_version: String,
    /// The version of the CLI that the schemas describe.
    pub cli_version: String,
    /// The definitions, in the order of their names.
    pub definitions: BTreeMap<String, Definition>,
    /// The kinds of lines, from meta.json.
    pub kinds: Vec<Kind>,
}

/// A definition of the bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Definition {
    /// The name of the definition.
    pub name: String,
    /// The description of the definition.
    pub doc: String,
    /// What a value of the definition is.
    pub form: Form,
}

/// What a value of a definition is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) enum Form {
    /// An object with fields.
    Struct(Struct),
    /// A value of one of several types. Any other value is kept as unknown.
    Union(Union),
    /// A text with known values. Any other text is a value too.
    Enumeration(Vec<Known>),
    /// Another type under a name of its own.
    Alias(Type),
}

/// An object with fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Struct {
    /// The keys that always have the same value, such as `type`. They are no fields.
    pub tags: Vec<Tag>,
    /// The fields: first those that are required, each group in the order of their names.
    pub fields: Vec<Field>,
    /// Of a control request: the definition of the `response` in its answer. `None` if it may be any JSON.
    pub answer: Option<String>,
}

/// A key that always has the same value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tag {
    pub key: String,
    /// A text or a boolean.
    pub value: Value,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Field {
    /// The key in the JSON.
    pub key: String,
    pub doc: String,
    pub ty: Type,
    /// Whether every object has the key.
    pub is_required: bool,
    /// Whether null is a value of the field. A field that is nullable and not required distinguishes absent and null.
    pub is_nullable: bool,
    /// The first version of the CLI that writes the field. `None` if every version does.
    pub since: Option<String>,
}

/// A type of a field, an item or a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) enum Type {
    /// Any JSON.
    Json,
    /// Any JSON when it is read. It is meant to be a value of the named definition.
    Later(String),
    Text,
    Flag,
    /// An integer.
    Integer,
    /// An integer or a float. How it is written is kept.
    Number,
    /// The definition of this name.
    Named(String),
    List(Box<Type>),
    /// An object with any keys.
    Dictionary(Box<Type>),
    /// A value or null, as an item of a list or of a dictionary.
    Nullable(Box<Type>),
}

/// The JSON type of a value. A case of a union has one, which a reader compares before the conditions of the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    Object,
    Array,
    String,
    Number,
    Boolean,
}

/// A value of one of several types. The first case whose shape and conditions hold is the case of a value. If no case
/// holds, the value is unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Union {
    /// The cases, those with more conditions first.
    pub cases: Vec<Case>,
}

/// One of the types of a union.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Case {
    pub ty: Type,
    pub shape: Shape,
    /// What the object must have. Empty for other shapes.
    pub conditions: Vec<Condition>,
    /// Whether the case is in no published type. A value that fulfils the conditions and cannot be read is unknown then.
    pub is_internal: bool,
}

/// What an object must have to be a value of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Condition {
    pub key: String,
    /// The accepted values: texts or booleans. Empty if any value is accepted.
    pub values: Vec<Value>,
    /// Whether the key may be absent.
    pub may_be_absent: bool,
}

/// A known value of an enumeration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Known {
    pub value: String,
    pub doc: String,
}

/// A kind of line in meta.json.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kind {
    /// The name of its definition.
    pub definition: String,
    /// `stdout`, `stdin` or `transcript`.
    pub direction: String,
    /// The keys and values by which it is recognised.
    pub tags: BTreeMap<String, Value>,
}

/// The definition of a line in each direction.
pub(crate) const ROOTS: [(&str, &str); 3] = [
    ("stdout", "StdoutMessage"),
    ("stdin", "StdinMessage"),
    ("transcript", "Entry"),
];

impl Model {
    /// Reads the bundle and meta.json in the folder of the schemas.
    ///
    /// # Errors
    /// Fails if a definition has a form that the model does not have. The error names the place.
    pub(crate) fn read(schemas: &Path) -> Result<Self> {
        let file = |name: &str| -> Result<Value> {
            let text = fs::read_to_string(schemas.join(name))?;
            Ok(serde_json::from_str(&text).map_err(|error| format!("schemas/{name}: {error}"))?)
        };
        Self::of(&file("codegen/claw.schema.json")?, &file("meta.json")?)
    }

    /// Reads the model from the bundle and the contents of meta.json.
    pub(crate) fn of(bundle: &Value, meta: &Value) -> Result<Self> {
        read::model(bundle, meta)
    }

    /// Returns the struct of this name.
    pub(crate) fn structure(&self, name: &str) -> Option<&Struct> {
        match &self.definitions.get(name)?.form {
            Form::Struct(form) => Some(form),
            _ => None,
        }
    }

    /// Returns the union of this name.
    pub(crate) fn union(&self, name: &str) -> Option<&Union> {
        match &self.definitions.get(name)?.form {
            Form::Union(form) => Some(form),
            _ => None,
        }
    }

    /// Returns the unions of which each named type is a case, also through a union that is a case of another one.
    pub(crate) fn memberships(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (union, definition) in &self.definitions {
            if let Form::Union(form) = &definition.form {
                self.add_members(union, form, &mut of);
            }
        }
        of
    }

    fn add_members<'a>(
        &'a self,
        union: &'a str,
        form: &'a Union,
        of: &mut BTreeMap<&'a str, BTreeSet<&'a str>>,
    ) {
        for case in &form.cases {
            if let Type::Named(name) = &case.ty {
                if let Some(inner) = self.union(name) {
                    self.add_members(union, inner, of);
                } else {
                    of.entry(name).or_default().insert(union);
                }
            }
        }
    }

    /// Returns the case of a value, if it is known: the definition of the innermost union's case.
    pub(crate) fn case_of(&self, union: &str, value: &Map<String, Value>) -> Option<&str> {
        let form = self.union(union)?;
        let mut cases = form.cases.iter();
        let case = cases.find(|case| case.shape == Shape::Object && case.accepts(value))?;
        match &case.ty {
            Type::Named(name) if self.union(name).is_some() => self.case_of(name, value),
            Type::Named(name) => Some(name),
            _ => None,
        }
    }
}

impl Case {
    /// Whether an object fulfils the conditions.
    fn accepts(&self, value: &Map<String, Value>) -> bool {
        self.conditions
            .iter()
            .all(|condition| match value.get(&condition.key) {
                Some(value) => condition.values.is_empty() || condition.values.contains(value),
                None => condition.may_be_absent,
            })
    }
}
