//! What a JSON Schema lets through, as far as a comparison needs it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The schema of what may be anything.
static ANYTHING: Value = Value::Bool(true);

/// One of two sets of named types that are compared.
#[derive(Clone)]
pub(super) struct Side {
    /// What reports call it.
    pub(super) name: String,
    /// Schemas by the name of the type.
    pub(super) types: Map<String, Value>,
    /// The names that others may use.
    pub(super) exported: BTreeSet<String>,
    /// Types of what the built-in tools are given and give.
    pub(super) tools: BTreeSet<String>,
    /// Variants that are not to be on the other side: they are in no published type.
    pub(super) internal: BTreeSet<String>,
}

impl Side {
    /// What reports call a type.
    pub(super) fn title(&self, name: &str) -> String {
        match name {
            // As many fields as all messages together, and files rather than the wire.
            "Settings" => "settings".to_owned(),
            _ if self.tools.contains(name) => format!("tool {name}"),
            _ => format!("type {name}"),
        }
    }

    /// Whether a variant is not to be on the other side.
    pub(super) fn has_as_internal(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.internal.contains(name))
    }
}

/// Everything that a field may hold.
#[derive(Debug, Default)]
pub(super) struct Shape<'a> {
    /// Any JSON value.
    pub(super) any: bool,
    pub(super) null: bool,
    /// A callback, which is no data.
    pub(super) function: bool,
    /// `string`, `number`, `boolean`, `array`, `object`.
    pub(super) kinds: BTreeSet<&'a str>,
    /// Any text, not only `values`.
    pub(super) text: bool,
    /// Texts that are spelled out.
    pub(super) values: BTreeSet<&'a str>,
    /// What arrays hold.
    pub(super) items: Vec<&'a Value>,
    /// What objects with keys of any name hold.
    pub(super) rest: Vec<&'a Value>,
    /// Objects with named fields.
    pub(super) objects: Vec<Object<'a>>,
    /// Types that were followed to get here.
    pub(super) names: BTreeSet<&'a str>,
}

/// An object with named fields; or several that are one for the comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a> {
    /// The type whose schema it is, if it is one's alone.
    pub(super) name: Option<&'a str>,
    pub(super) fields: BTreeMap<&'a str, Field<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    /// What it may hold: any of these.
    pub(super) schemas: Vec<&'a Value>,
    pub(super) required: bool,
}

impl<'a> Shape<'a> {
    /// What any of some schemas lets through.
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
            // What an open enumeration takes beside its values is no difference to them.
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

    /// Whether what its keys hold may be anything.
    pub(super) fn free_form_map(&self, side: &Side) -> bool {
        !self.rest.is_empty()
            && self
                .rest
                .iter()
                .all(|schema| Shape::read(side, &[schema]).free_form(side))
    }

    /// Whether a type says nothing of what is in it: anything, or lists and maps of anything. A
    /// callback says nothing either, in data.
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

    /// One object that stands for several: required is what is so in each.
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

/// The type that a schema is a reference to, alone or with a description beside it.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    let reference = match schema.get("allOf").and_then(Value::as_array) {
        Some(all) => all.first().filter(|_| all.len() == 1)?,
        None => schema,
    };
    reference.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The members of a union.
pub(super) fn alternatives(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let members = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    Some(members.as_array()?.iter())
}

/// The one type that schemas name, null aside.
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

/// Whether there are callbacks in what schemas allow: then it is for a program, and no data.
pub(super) fn calls<'a>(side: &'a Side, schemas: &[&'a Value]) -> bool {
    fn look<'a>(side: &'a Side, schemas: &[&'a Value], seen: &mut BTreeSet<&'a str>) -> bool {
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
        shape.function || inner.any(|schemas| !schemas.is_empty() && look(side, schemas, seen))
    }
    look(side, schemas, &mut BTreeSet::new())
}

/// The values of schemas that allow nothing else, as JSON.
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
