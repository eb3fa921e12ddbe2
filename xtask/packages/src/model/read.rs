//! Reads the bundle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use xtask::run::Result;

use super::{Case, Condition, Definition, Field, Form, Kind, Known, Model, Shape};
use super::{Struct, Tag, Type, Union};

/// The definitions of the bundle, while they are read.
struct Bundle<'a> {
    definitions: &'a Map<String, Value>,
}

/// The definition of any JSON, which is a type of the model.
const JSON: &str = "Json";

pub(super) fn model(bundle: &Value, meta: &Value) -> Result<Model> {
    let definitions = bundle["$defs"]
        .as_object()
        .ok_or("the bundle has no $defs")?;
    let reader = Bundle { definitions };
    let mut read = BTreeMap::new();
    for (name, schema) in definitions {
        if reader.is_hidden(name) {
            continue;
        }
        let form = reader
            .form(name, schema)
            .map_err(|error| format!("$defs/{name}: {error}"))?;
        let definition = Definition {
            name: name.clone(),
            doc: doc(schema),
            form,
        };
        read.insert(name.clone(), definition);
    }
    let version = |key: &str| -> Result<String> {
        let text = bundle[key].as_str();
        Ok(text
            .ok_or_else(|| format!("the bundle has no {key}"))?
            .to_owned())
    };
    let mut model = Model {
        schema_version: version("x-schema-version")?,
        cli_version: version("x-cli-version")?,
        definitions: read,
        kinds: kinds(meta)?,
    };
    sort_cases(&mut model);
    check_names(&model)?;
    Ok(model)
}

/// Puts cases with more conditions first.
fn sort_cases(model: &mut Model) {
    for definition in model.definitions.values_mut() {
        if let Form::Union(union) = &mut definition.form {
            union
                .cases
                .sort_by_key(|case| std::cmp::Reverse(case.conditions.len()));
        }
    }
}

/// Fails if a type names no definition.
fn check_names(model: &Model) -> Result {
    let check = |ty: &Type, place: &str| match ty.named() {
        Some(name) if !model.definitions.contains_key(name) => {
            Err(format!("{place}: no definition {name}"))
        }
        _ => Ok(()),
    };
    for (name, definition) in &model.definitions {
        match &definition.form {
            Form::Struct(form) => {
                for field in &form.fields {
                    check(&field.ty, &format!("$defs/{name}/properties/{}", field.key))?;
                }
                if let Some(answer) = &form.answer {
                    check(
                        &Type::Named(answer.clone()),
                        &format!("$defs/{name}/x-answer"),
                    )?;
                }
            }
            Form::Union(form) => {
                for case in &form.cases {
                    check(&case.ty, &format!("$defs/{name}"))?;
                }
            }
            Form::Alias(ty) => check(ty, &format!("$defs/{name}"))?,
            Form::Enumeration(_) => {}
        }
    }
    for kind in &model.kinds {
        if !model.definitions.contains_key(&kind.definition) {
            return Err(format!("meta.json: no definition {}", kind.definition).into());
        }
    }
    Ok(())
}

impl Type {
    /// Returns the definition that the type, or the innermost item of it, names.
    pub(super) fn named(&self) -> Option<&str> {
        match self {
            Self::Named(name) | Self::Later(name) => Some(name),
            Self::List(inner) | Self::Dictionary(inner) | Self::Nullable(inner) => inner.named(),
            _ => None,
        }
    }
}

impl Bundle<'_> {
    /// Whether the definition is a part of another one: `Json` is a type, and `…Known` belongs to its enumeration.
    fn is_hidden(&self, name: &str) -> bool {
        name == JSON
            || name
                .strip_suffix("Known")
                .is_some_and(|open| self.definitions.contains_key(open))
    }

    fn form(&self, name: &str, schema: &Value) -> Result<Form> {
        if let Some(cases) = schema["oneOf"].as_array() {
            let known = format!("{name}Known");
            if let Some(known) = self.definitions.get(&known) {
                return Ok(Form::Enumeration(known_values(known)?));
            }
            return self.tagged(schema, cases).map(Form::Union);
        }
        if let Some(cases) = schema["anyOf"].as_array() {
            return self.choice(cases).map(Form::Union);
        }
        if let Some(values) = schema["enum"].as_array() {
            let doc = |value: &str| schema["x-value-descriptions"][value].as_str();
            let known = |value: &Value| -> Result<Known> {
                let value = value.as_str().ok_or("enum: a value that is no text")?;
                Ok(Known {
                    value: value.to_owned(),
                    doc: doc(value).unwrap_or_default().to_owned(),
                })
            };
            return Ok(Form::Enumeration(
                values.iter().map(known).collect::<Result<_>>()?,
            ));
        }
        if schema.get("properties").is_some() {
            return structure(schema).map(Form::Struct);
        }
        let (ty, is_nullable) = ty(schema)?;
        if is_nullable {
            return Err("a definition that may be null".into());
        }
        Ok(Form::Alias(ty))
    }

    /// Returns the union of references to objects, which tags or keys tell apart.
    fn tagged(&self, schema: &Value, members: &[Value]) -> Result<Union> {
        let internal: BTreeSet<_> = texts(&schema["x-internal"]).collect();
        let keys: Vec<_> = texts(&schema["x-told-by"]).collect();
        let names = members
            .iter()
            .map(|member| reference(member).ok_or("oneOf: a member that is no reference"))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut cases = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let conditions = match keys.get(at) {
                Some(key) => vec![Condition {
                    key: (*key).to_owned(),
                    values: Vec::new(),
                    may_be_absent: false,
                }],
                None => self.conditions(name, &names)?,
            };
            if conditions.is_empty() {
                return Err(format!("oneOf/{at}: {name} has no tag").into());
            }
            cases.push(Case {
                ty: Type::Named((*name).to_owned()),
                shape: Shape::Object,
                conditions,
                is_internal: internal.contains(name),
            });
        }
        Ok(Union { cases })
    }

    /// Returns what makes an object the member of this name, and none of the others.
    fn conditions(&self, name: &str, others: &[&str]) -> Result<Vec<Condition>> {
        let schema = self.definition(name)?;
        if let Some(members) = schema["oneOf"].as_array() {
            // A union in a union is recognised by the values that its members have for the same tags.
            let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for member in members {
                let member = reference(member).ok_or("oneOf: a member that is no reference")?;
                for condition in self.conditions(member, &[])? {
                    all.entry(condition.key)
                        .or_default()
                        .extend(condition.values);
                }
            }
            let condition = |(key, values)| Condition {
                key,
                values,
                may_be_absent: false,
            };
            return Ok(all.into_iter().map(condition).collect());
        }
        let required = required(schema);
        let mut conditions = Vec::new();
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.contains(key.as_str());
            let Some(values) = self.closed(property) else {
                continue;
            };
            // A value that may be absent counts only if it is the tag of another member.
            let is_tag_of_another = || {
                others.iter().any(|other| {
                    let of_other = self.conditions(other, &[]);
                    *other != name && of_other.is_ok_and(|all| all.iter().any(|c| c.key == *key))
                })
            };
            if is_required || is_tag_of_another() {
                conditions.push(Condition {
                    key: key.clone(),
                    values,
                    may_be_absent: !is_required,
                });
            }
        }
        conditions.sort_by_key(|condition| (condition.key != "type", condition.key.clone()));
        Ok(conditions)
    }

    /// Returns the only values of a property, or `None` if it may have others.
    fn closed(&self, property: &Value) -> Option<Vec<Value>> {
        if let Some(values) = constants(property) {
            return Some(values.to_vec());
        }
        let target = self.definitions.get(reference(sole(property))?)?;
        constants(target).map(<[Value]>::to_vec)
    }

    /// Returns the union of types that their JSON tells apart.
    fn choice(&self, members: &[Value]) -> Result<Union> {
        let mut cases = Vec::new();
        let names: Vec<_> = members
            .iter()
            .filter_map(|member| reference(sole(member)))
            .collect();
        for (at, member) in members.iter().enumerate() {
            let place = |error| format!("anyOf/{at}: {error}");
            let (ty, is_nullable) = ty(member).map_err(place)?;
            if is_nullable {
                return Err(format!("anyOf/{at}: a case that may be null").into());
            }
            let shape = self.shape(&ty).map_err(place)?;
            let mut conditions = Vec::new();
            if let (Shape::Object, Type::Named(name)) = (shape, &ty) {
                conditions = self.conditions(name, &names)?;
            }
            cases.push(Case {
                ty,
                shape,
                conditions,
                is_internal: false,
            });
        }
        let objects = cases.iter().filter(|case| case.shape == Shape::Object);
        if objects.clone().count() > 1 {
            for case in &mut cases {
                if let (Shape::Object, Type::Named(name), true) =
                    (case.shape, &case.ty, case.conditions.is_empty())
                {
                    case.conditions = self.has_required(name)?;
                }
            }
        }
        let unconditional: Vec<_> = cases
            .iter()
            .filter(|case| case.conditions.is_empty())
            .collect();
        let shapes: BTreeSet<_> = unconditional.iter().map(|case| case.shape).collect();
        if shapes.len() < unconditional.len() {
            return Err("anyOf: two cases that nothing tells apart".into());
        }
        Ok(Union { cases })
    }

    /// Returns the conditions that an object has the required keys of a struct.
    fn has_required(&self, name: &str) -> Result<Vec<Condition>> {
        let condition = |key: &str| Condition {
            key: key.to_owned(),
            values: Vec::new(),
            may_be_absent: false,
        };
        Ok(required(self.definition(name)?)
            .into_iter()
            .map(condition)
            .collect())
    }

    fn shape(&self, ty: &Type) -> Result<Shape> {
        Ok(match ty {
            Type::Text => Shape::String,
            Type::Flag => Shape::Boolean,
            Type::Integer | Type::Number => Shape::Number,
            Type::List(_) => Shape::Array,
            // The only definition that is read later is an object.
            Type::Dictionary(_) | Type::Later(_) => Shape::Object,
            Type::Json | Type::Nullable(_) => return Err("a case that may be any JSON".into()),
            Type::Named(name) => match self.form(name, self.definition(name)?)? {
                Form::Struct(_) => Shape::Object,
                Form::Enumeration(_) => Shape::String,
                Form::Alias(ty) => self.shape(&ty)?,
                Form::Union(union) => {
                    let shapes: BTreeSet<_> = union.cases.iter().map(|case| case.shape).collect();
                    match shapes.into_iter().collect::<Vec<_>>()[..] {
                        [shape] => shape,
                        _ => return Err(format!("{name} has several shapes").into()),
                    }
                }
            },
        })
    }

    fn definition(&self, name: &str) -> Result<&Value> {
        let found = self.definitions.get(name);
        found.ok_or_else(|| format!("no definition {name}").into())
    }
}

/// Returns the type of a schema that is no definition and may not be null.
pub(super) fn plain_type(schema: &Value) -> Result<Type> {
    match ty(schema)? {
        (ty, false) => Ok(ty),
        (_, true) => Err("it may be null".into()),
    }
}

/// Returns the type of a schema that is no definition, and whether it may be null.
fn ty(schema: &Value) -> Result<(Type, bool)> {
    if let Some(later) = schema["x-read-later"].as_str() {
        return Ok((Type::Later(later.to_owned()), false));
    }
    if let Some(name) = reference(sole(schema)) {
        let is_json = name == JSON;
        let ty = if is_json {
            Type::Json
        } else {
            Type::Named(name.to_owned())
        };
        return Ok((ty, false));
    }
    if let Some(members) = schema["anyOf"].as_array() {
        let [member, null] = &members[..] else {
            return Err("anyOf: not a type and null".into());
        };
        if null["type"] != "null" {
            return Err("anyOf/1: not null".into());
        }
        return Ok((ty(member)?.0, true));
    }
    let (name, is_nullable) = match &schema["type"] {
        Value::String(name) => (name.as_str(), false),
        Value::Array(names) => match &names[..] {
            [Value::String(name), null] if null == "null" => (name.as_str(), true),
            _ => return Err("type: not a type and null".into()),
        },
        _ => return Err(format!("an unknown form: {schema}").into()),
    };
    let item = |key: &str| -> Result<Box<Type>> {
        let item = schema.get(key).ok_or_else(|| format!("no {key}"))?;
        let (ty, is_nullable) = ty(item).map_err(|error| format!("{key}: {error}"))?;
        Ok(Box::new(if is_nullable {
            Type::Nullable(Box::new(ty))
        } else {
            ty
        }))
    };
    let ty = match name {
        "string" => Type::Text,
        "boolean" => Type::Flag,
        "integer" => Type::Integer,
        "number" => Type::Number,
        "array" => Type::List(item("items")?),
        "object" => Type::Dictionary(item("additionalProperties")?),
        other => return Err(format!("type: {other}").into()),
    };
    Ok((ty, is_nullable))
}

fn structure(schema: &Value) -> Result<Struct> {
    let required = required(schema);
    let mut form = Struct {
        answer: schema["x-answer"]
            .as_str()
            .filter(|name| *name != JSON)
            .map(str::to_owned),
        ..Struct::default()
    };
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.contains(key.as_str());
        if let (true, Some([value])) = (is_required, constants(property)) {
            form.tags.push(Tag {
                key: key.clone(),
                value: value.clone(),
            });
            continue;
        }
        let (ty, is_nullable) =
            ty(property).map_err(|error| format!("properties/{key}: {error}"))?;
        form.fields.push(Field {
            key: key.clone(),
            doc: doc(property),
            ty,
            is_required,
            is_nullable,
            since: property["x-since"].as_str().map(str::to_owned),
        });
    }
    // `type` comes before `subtype`.
    form.tags
        .sort_by_key(|tag| (tag.key != "type", tag.key.clone()));
    form.fields.sort_by_key(|field| !field.is_required);
    Ok(form)
}

fn known_values(known: &Value) -> Result<Vec<Known>> {
    let values = known["oneOf"].as_array().ok_or("no known values")?;
    let value = |value: &Value| -> Result<Known> {
        let text = value["const"].as_str().ok_or("a known value is no text")?;
        Ok(Known {
            value: text.to_owned(),
            doc: doc(value),
        })
    };
    values.iter().map(value).collect()
}

/// Returns the kinds of lines that the bundle has. The older forms of the dialects are not in it.
fn kinds(meta: &Value) -> Result<Vec<Kind>> {
    let all = meta["kinds"].as_array().ok_or("meta.json has no kinds")?;
    let mut kinds = Vec::new();
    for kind in all {
        let Some(direction) = kind["direction"].as_str() else {
            continue;
        };
        let definition = kind["definition"].as_str();
        let mut tags: BTreeMap<_, _> = kind
            .as_object()
            .cloned()
            .unwrap_or_default()
            .into_iter()
            .collect();
        tags.retain(|key, _| !["definition", "direction"].contains(&key.as_str()));
        kinds.push(Kind {
            definition: definition
                .ok_or("meta.json: a kind without definition")?
                .to_owned(),
            direction: direction.to_owned(),
            tags,
        });
    }
    Ok(kinds)
}

fn doc(schema: &Value) -> String {
    schema["description"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn required(schema: &Value) -> BTreeSet<&str> {
    texts(&schema["required"]).collect()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Returns the only values of a schema.
fn constants(schema: &Value) -> Option<&[Value]> {
    schema["enum"].as_array().map(Vec::as_slice)
}

/// Returns the schema to which a description is added, or the schema itself.
pub(super) fn sole(schema: &Value) -> &Value {
    match schema["allOf"].as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => schema,
    }
}

/// Returns the name of the definition to which a schema refers.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}
