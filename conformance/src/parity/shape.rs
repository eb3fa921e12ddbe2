//! Reads the values that a JSON Schema allows, as far as a comparison needs them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The schema that allows any value.
static ANYTHING: Value = Value::Bool(true);

/// One of two sets of named types that are compared.
#[derive(Clone)]
pub(super) struct Side {
    /// Its name in reports.
    pub(super) name: String,
    /// Schemas by the name of the type.
    pub(super) types: Map<String, Value>,
    /// The names of the exported types.
    pub(super) exported: BTreeSet<String>,
    /// The types of the inputs and outputs of the built-in tools.
    pub(super) tools: BTreeSet<String>,
    /// The internal variants, which no published type contains. The other side must not have them.
    pub(super) internal: BTreeSet<String>,
}

impl Side {
    /// Returns the name of a type in reports.
    pub(super) fn title(&self, name: &str) -> String {
        match name {
            // The settings have a separate row, because they have as many fields as all messages
            // together, and are the contents of files.
            "Settings" => "settings".to_owned(),
            _ if self.tools.contains(name) => format!("tool {name}"),
            _ => format!("type {name}"),
        }
    }

    /// Whether a variant is internal.
    pub(super) fn has_as_internal(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.internal.contains(name))
    }
}

/// The values that a field may have.
#[derive(Debug, Default)]
pub(super) struct Shape<'a> {
    /// Any JSON value.
    pub(super) any: bool,
    pub(super) null: bool,
    /// A callback, which is not data.
    pub(super) function: bool,
    /// `string`, `number`, `boolean`, `array`, `object`.
    pub(super) kinds: BTreeSet<&'a str>,
    /// Any text, not only `values`.
    pub(super) text: bool,
    /// The texts that the schema lists.
    pub(super) values: BTreeSet<&'a str>,
    /// The schemas of the items of arrays.
    pub(super) items: Vec<&'a Value>,
    /// The schemas of the values of maps, whose keys may have any name.
    pub(super) rest: Vec<&'a Value>,
    /// Objects with named fields.
    pub(super) objects: Vec<Object<'a>>,
    /// The named types through which the schema was reached.
    pub(super) names: BTreeSet<&'a str>,
}

/// An object with named fields, or several objects that the comparison treats as one.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a> {
    /// The name of the type, if the object is the schema of exactly one type.
    pub(super) name: Option<&'a str>,
    pub(super) fields: BTreeMap<&'a str, Field<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    /// The schemas of the field. Its value fits any of them.
    pub(super) schemas: Vec<&'a Value>,
    pub(super) required: bool,
}

impl<'a> Shape<'a> {
    /// Returns the values that at least one of the schemas allows.
    pub(super) fn read(side: &'a Side, schemas: &[&'a Value]) -> Self {
        let mut shape = Self::default();
        for schema in schemas {
            shape.add(side, schema, None);
        }
        shape
    }

    fn add(&mut self, side: &'a Side, schema: &'a Value, name: Option<&'a str>) {
        if let Some(name) = reference(schema) {
            match side.types.get(name) {
                Some(schema) if self.names.insert(name) => self.add(side, schema, Some(name)),
                Some(_) => {}
                None => self.any = true,
            }
        } else if let Some(members) = alternatives(schema) {
            members.for_each(|member| self.add(side, member, None));
        } else if let Some(value) = schema.get("const") {
            self.literal(value);
        } else if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            for value in values {
                self.literal(value);
            }
        } else {
            match schema.get("type") {
                Some(Value::String(kind)) => self.kind(kind, schema, name),
                Some(Value::Array(kinds)) => {
                    let kinds = kinds.iter().filter_map(Value::as_str);
                    kinds.for_each(|kind| self.kind(kind, schema, name));
                }
                _ => self.any = true,
            }
        }
    }

    fn literal(&mut self, value: &'a Value) {
        match value {
            Value::String(text) => {
                self.kinds.insert("string");
                self.values.insert(text);
            }
            Value::Bool(_) => _ = self.kinds.insert("boolean"),
            Value::Number(_) => _ = self.kinds.insert("number"),
            Value::Null => self.null = true,
            Value::Array(_) | Value::Object(_) => self.any = true,
        }
    }

    fn kind(&mut self, kind: &'a str, schema: &'a Value, name: Option<&'a str>) {
        match kind {
            "null" => return self.null = true,
            "function" => return self.function = true,
            // The second member of an open enumeration, which allows all other texts, does not
            // count as a free text.
            "string" => self.text |= schema.get("not").is_none(),
            "array" => self.items.extend(schema.get("items")),
            "object" => {
                let object = Object::read(schema, name);
                let rest = schema.get("additionalProperties");
                if !object.fields.is_empty()
                    || (rest.is_none() && schema.get("properties").is_some())
                {
                    self.objects.push(object);
                } else {
                    self.rest.push(rest.unwrap_or(&ANYTHING));
                }
            }
            _ => {}
        }
        self.kinds
            .insert(if kind == "integer" { "number" } else { kind });
    }

    /// Whether the shape is a map whose values may be anything.
    pub(super) fn free_form_map(&self, side: &Side) -> bool {
        !self.rest.is_empty()
            && self
                .rest
                .iter()
                .all(|schema| Shape::read(side, &[schema]).free_form(side))
    }

    /// Whether the shape has no specific type: any value, or lists and maps of any values. A
    /// callback counts as such a shape.
    pub(super) fn free_form(&self, side: &Side) -> bool {
        let kind = |kind: &&str| match *kind {
            "array" => Shape::read(side, &self.items).free_form(side),
            "object" => self.objects.is_empty() && self.free_form_map(side),
            _ => false,
        };
        self.any || self.function || (!self.kinds.is_empty() && self.kinds.iter().all(kind))
    }
}

impl<'a> Object<'a> {
    fn read(schema: &'a Value, name: Option<&'a str>) -> Self {
        let required: BTreeSet<_> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten().map(|(key, schema)| {
            let field = Field {
                schemas: vec![schema],
                required: required.contains(key.as_str()),
            };
            (key.as_str(), field)
        });
        Self {
            name,
            fields: fields.collect(),
        }
    }

    /// Merges several objects into one. A field is required if it is required in each of them.
    pub(super) fn merge(objects: &[&Self]) -> Self {
        let [first, more @ ..] = objects else {
            return Self::default();
        };
        let mut merged = Self {
            name: first.name.filter(|_| more.is_empty()),
            fields: first.fields.clone(),
        };
        for object in more {
            for (key, field) in &mut merged.fields {
                field.required &= object.fields.contains_key(key);
            }
            for (key, field) in &object.fields {
                if let Some(known) = merged.fields.get_mut(key) {
                    known.schemas.extend(&field.schemas);
                    known.required &= field.required;
                } else {
                    let optional = Field {
                        required: false,
                        ..field.clone()
                    };
                    merged.fields.insert(key, optional);
                }
            }
        }
        merged
    }

    /// The fields that distinguish objects: those that are always present and have only literal
    /// values.
    pub(super) fn tags(&self, side: &'a Side) -> BTreeMap<&'a str, BTreeSet<String>> {
        let required = self.fields.iter().filter(|(_, field)| field.required);
        required
            .filter_map(|(key, field)| Some((*key, literals(side, &field.schemas)?)))
            .collect()
    }

    /// The label that distinguishes the shape from its siblings, such as `system/init` or
    /// `user isReplay`.
    pub(super) fn label(&self, side: &'a Side) -> String {
        let mut tags: Vec<_> = self.tags(side).into_iter().collect();
        tags.sort_by_key(|(key, _)| *key != "type");
        let single = tags.into_iter().filter(|(_, values)| values.len() == 1);
        let mut label = String::new();
        for (key, value) in
            single.flat_map(|(key, values)| values.into_iter().map(move |v| (key, v)))
        {
            let (gap, text) = match serde_json::from_str(&value) {
                Ok(Value::String(text)) => ("/", text),
                Ok(Value::Bool(true)) => (" ", key.to_owned()),
                _ => (" ", format!("{key}={value}")),
            };
            if !label.is_empty() {
                label.push_str(gap);
            }
            label.push_str(&text);
        }
        label
    }
}

/// Returns the name of the type to which a schema refers. The reference may have a description
/// beside it.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    let reference = match schema.get("allOf").and_then(Value::as_array) {
        Some(all) => all.first().filter(|_| all.len() == 1)?,
        None => schema,
    };
    reference.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// Returns the members of a union.
pub(super) fn alternatives(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let members = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    Some(members.as_array()?.iter())
}

/// Returns the only type to which the schemas refer. Null is ignored.
pub(super) fn named<'a>(schemas: &[&'a Value]) -> Option<&'a str> {
    let mut names = schemas
        .iter()
        .flat_map(|schema| match alternatives(schema) {
            Some(members) => members.collect(),
            None => vec![*schema],
        });
    let mut names = names
        .by_ref()
        .filter(|schema| schema.get("type").is_none_or(|kind| kind != "null"))
        .map(reference);
    let name = names.next()??;
    names.all(|other| other == Some(name)).then_some(name)
}

/// Whether the schemas contain callbacks. Such types are for programs, and are not data.
pub(super) fn calls<'a>(side: &'a Side, schemas: &[&'a Value]) -> bool {
    fn has_function<'a>(
        side: &'a Side,
        schemas: &[&'a Value],
        seen: &mut BTreeSet<&'a str>,
    ) -> bool {
        let shape = Shape::read(side, schemas);
        if !shape.names.is_empty() && shape.names.is_subset(seen) {
            return false;
        }
        seen.extend(&shape.names);
        let fields = shape
            .objects
            .iter()
            .flat_map(|object| object.fields.values());
        let mut inner = fields
            .map(|field| &field.schemas)
            .chain([&shape.items, &shape.rest]);
        shape.function
            || inner.any(|schemas| !schemas.is_empty() && has_function(side, schemas, seen))
    }
    has_function(side, schemas, &mut BTreeSet::new())
}

/// Returns the literal values of the schemas as JSON. `None` if they also allow other values.
fn literals(side: &Side, schemas: &[&Value]) -> Option<BTreeSet<String>> {
    let mut values = BTreeSet::new();
    for schema in schemas {
        if let Some(members) = alternatives(schema) {
            values.extend(literals(side, &members.collect::<Vec<_>>())?);
        } else if let Some(name) = reference(schema) {
            values.extend(literals(side, &[side.types.get(name)?])?);
        } else {
            let spelled = schema.get("enum")?.as_array()?;
            values.extend(spelled.iter().map(Value::to_string));
        }
    }
    (!values.is_empty()).then_some(values)
}
