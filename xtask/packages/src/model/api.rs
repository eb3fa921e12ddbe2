//! The API of `claw serve`, from its OpenAPI document: a model of its types, and its operations.
//!
//! The types become a bundle, as that of the protocol is, so that the same rules make packages of both. What the
//! document has and this model does not is an error with its place.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use xtask::run::Result;

use super::read::{plain_type, reference, sole};
use super::{Form, Model, Type};
use crate::words::{capital, words};

#[cfg(test)]
mod tests;

/// The API of a server.
pub(crate) struct Api {
    /// The types of bodies, parameters, events and messages.
    pub model: Model,
    /// The operations, in the order of their paths.
    pub operations: Vec<Operation>,
}

/// A request that the server takes. A request with several forms of its result is an operation for each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operation {
    /// The name, such as `readSession`.
    pub name: String,
    pub doc: String,
    /// The method in capitals.
    pub method: String,
    /// The path, with `{id}` where the parameter `id` is.
    pub path: String,
    /// Whether the server takes it without a token.
    pub is_open: bool,
    /// Those that are required come first.
    pub parameters: Vec<Parameter>,
    /// The type of the JSON in the request.
    pub body: Option<Type>,
    pub result: Outcome,
}

/// A parameter of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub name: String,
    pub doc: String,
    pub place: Place,
    /// A text, a flag, an integer or an enumeration.
    pub ty: Type,
    pub is_required: bool,
}

/// Where a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

/// What a request results in if the server does not refuse it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Nothing,
    /// JSON of a type. It may be absent.
    Json(Type, bool),
    /// A text of this media type.
    Text(String),
    /// Server-sent events, each of which is a value of this union.
    Events(String),
    /// A WebSocket: what the client sends, and what it receives.
    Socket(String, String),
}

const SCHEMAS: &str = "#/components/schemas/";
/// The body of each response that is an error.
const ERROR: &str = "ErrorBody";
/// Headers of responses that the methods of a client do not return.
const LEFT_OUT: [&str; 2] = ["claw-missing", "Set-Cookie"];

impl Api {
    /// Reads the document.
    ///
    /// # Errors
    /// Fails if the document has something for which there is no model. The error names the place.
    pub(crate) fn read(document: &Path, protocol: &Model) -> Result<Self> {
        let text = fs::read_to_string(document)?;
        let place = |error| format!("{}: {error}", document.display());
        Self::of(&serde_json::from_str(&text)?, protocol).map_err(|error| place(error).into())
    }

    /// Reads the contents of the document. The versions are those of the protocol's model.
    pub(crate) fn of(document: &Value, protocol: &Model) -> Result<Self> {
        let bearer = &document["components"]["securitySchemes"]["token"]["scheme"];
        if bearer != "bearer" || document["security"][0] != json!({ "token": [] }) {
            return Err("security: the first way is no bearer token".into());
        }
        let definitions = definitions(document)?;
        let bundle = json!({
            "$defs": definitions,
            "x-schema-version": protocol.schema_version,
            "x-cli-version": protocol.cli_version,
        });
        let model = Model::of(&bundle, &json!({ "kinds": [] }))?;
        let mut api = Self {
            model,
            operations: Vec::new(),
        };
        for (path, item) in object(&document["paths"]) {
            for (method, operation) in object(item) {
                api.add(path, method, operation, document)
                    .map_err(|error| format!("paths: {path}: {method}: {error}"))?;
            }
        }
        Ok(api)
    }

    fn add(&mut self, path: &str, method: &str, of: &Value, document: &Value) -> Result {
        if !["get", "post", "patch", "put", "delete"].contains(&method) {
            return Err("no method of a request".into());
        }
        only(
            of,
            "description operationId parameters requestBody responses security summary",
        )?;
        if of.get("security").is_some_and(|ways| *ways != json!([])) {
            return Err("security: neither that of the document nor none".into());
        }
        let mut parameters = Vec::new();
        for parameter in of["parameters"].as_array().into_iter().flatten() {
            let name = text(parameter, "name")?;
            let read = self.parameter(parameter);
            parameters.push(read.map_err(|error| format!("parameters: {name}: {error}"))?);
        }
        parameters.sort_by_key(|parameter| !parameter.is_required);
        for part in path.split('{').skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            let is_there = |p: &Parameter| p.place == Place::Path && p.name == name;
            if !parameters.iter().any(is_there) {
                return Err(format!("parameters: none is {name} of the path").into());
            }
        }
        let body = match of.get("requestBody") {
            None => None,
            Some(body) => {
                only(body, "content description required")?;
                only(&body["content"], "application/json")
                    .map_err(|error| format!("requestBody: {error}"))?;
                if body["required"] != true {
                    return Err("requestBody: it may be absent".into());
                }
                Some(self.ty(&body["content"]["application/json"]["schema"])?)
            }
        };
        let name = text(of, "operationId")?;
        let outcomes = self
            .outcomes(&of["responses"], document)
            .map_err(|error| format!("responses: {error}"))?;
        for (at, result) in outcomes.into_iter().enumerate() {
            let mut name = name.to_owned();
            if let (Outcome::Text(media), 1..) = (&result, at) {
                name += &capital(media.rsplit('/').next().unwrap_or_default());
            }
            if self.operations.iter().any(|other| other.name == name) {
                return Err(format!("operationId: {name} occurs twice").into());
            }
            self.operations.push(Operation {
                name,
                doc: text(of, "summary")?.to_owned(),
                method: method.to_uppercase(),
                path: path.to_owned(),
                is_open: of.get("security").is_some(),
                parameters: parameters.clone(),
                body: body.clone(),
                result,
            });
        }
        Ok(())
    }

    fn parameter(&self, of: &Value) -> Result<Parameter> {
        only(of, "description in name required schema")?;
        let place = match &of["in"] {
            place if place == "path" => Place::Path,
            place if place == "query" => Place::Query,
            place if place == "header" => Place::Header,
            place => return Err(format!("in: {place}").into()),
        };
        let ty = self.ty(&of["schema"])?;
        let is_text = match &ty {
            Type::Text => true,
            Type::Flag | Type::Integer => place != Place::Path,
            Type::Named(name) => matches!(
                self.model.definitions.get(name).map(|found| &found.form),
                Some(Form::Enumeration(_))
            ),
            _ => false,
        };
        if !is_text {
            return Err(format!("schema: no text, flag, integer or enumeration: {ty:?}").into());
        }
        Ok(Parameter {
            name: text(of, "name")?.to_owned(),
            doc: of["description"].as_str().unwrap_or_default().to_owned(),
            place,
            ty,
            is_required: of["required"] == true,
        })
    }

    /// Returns each form of a result: JSON first.
    fn outcomes(&self, responses: &Value, document: &Value) -> Result<Vec<Outcome>> {
        let (mut found, mut is_empty) = (Vec::new(), false);
        for (status, response) in object(responses) {
            let place = |error| format!("{status}: {error}");
            if ["4XX", "5XX"].contains(&&**status) {
                check_error(response, document).map_err(place)?;
                continue;
            }
            let outcomes = self.outcomes_of(status, response).map_err(place)?;
            is_empty |= outcomes.is_empty();
            for outcome in outcomes {
                if !found.contains(&outcome) {
                    found.push(outcome);
                }
            }
        }
        match (&mut found[..], is_empty) {
            ([], _) => found.push(Outcome::Nothing),
            ([Outcome::Json(_, may_be_absent)], true) => *may_be_absent = true,
            ([_, others @ ..], false) if others.iter().all(is_text) => {}
            _ => return Err(format!("no result, or more than one: {found:?}").into()),
        }
        Ok(found)
    }

    /// Returns each form of a response's content, none if there is no content.
    fn outcomes_of(&self, status: &str, response: &Value) -> Result<Vec<Outcome>> {
        only(
            response,
            "content description headers x-client-message x-server-message",
        )?;
        for (header, _) in object(&response["headers"]) {
            if !LEFT_OUT.contains(&&**header) {
                return Err(format!("headers: {header} is returned by no method").into());
            }
        }
        if status == "101" {
            let [sent, received] =
                ["x-client-message", "x-server-message"].map(|key| match self.ty(&response[key]) {
                    Ok(Type::Named(name)) => Ok(name),
                    _ => Err(format!("{key}: no definition")),
                });
            return Ok(vec![Outcome::Socket(sent?, received?)]);
        }
        if !["200", "201", "202", "204"].contains(&status) {
            return Err("a status that clients do not expect".into());
        }
        let mut found = Vec::new();
        for (media, content) in object(&response["content"]) {
            only(content, "schema x-events").map_err(|error| format!("{media}: {error}"))?;
            let is_text = content["schema"] == json!({ "type": "string" });
            found.push(match &**media {
                "application/json" if content["schema"] == json!({ "type": "object" }) => {
                    Outcome::Json(Type::Json, false)
                }
                "application/json" => Outcome::Json(self.ty(&content["schema"])?, false),
                "text/event-stream" => match schema_name(&content["x-events"]) {
                    Some(events) => Outcome::Events(event(events)?.to_owned()),
                    None => return Err(format!("{media}: no x-events").into()),
                },
                text if text.starts_with("text/") && is_text => Outcome::Text(text.to_owned()),
                _ => return Err(format!("{media}: a form that clients do not read").into()),
            });
        }
        Ok(found)
    }

    /// Returns the type of a schema outside of the definitions.
    fn ty(&self, schema: &Value) -> Result<Type> {
        let ty = plain_type(&in_bundle(schema)?)?;
        match ty.named() {
            Some(name) if !self.model.definitions.contains_key(name) => {
                Err(format!("no definition {name}").into())
            }
            _ => Ok(ty),
        }
    }
}

fn is_text(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Text(_))
}

/// Fails if a response is not the error that clients read.
fn check_error(response: &Value, document: &Value) -> Result {
    let name = response["$ref"].as_str().unwrap_or_default();
    let name = name
        .strip_prefix("#/components/responses/")
        .ok_or("no reference to a response")?;
    let content = &document["components"]["responses"][name]["content"];
    let schema = &content["application/json"]["schema"];
    match schema_name(schema) {
        Some(ERROR) => Ok(()),
        _ => Err(format!("{name} is no {ERROR}").into()),
    }
}

/// Fails if an object has other keys than these.
fn only(of: &Value, keys: &str) -> Result {
    match object(of).find(|(key, _)| keys.split(' ').all(|known| known != *key)) {
        Some((key, _)) => Err(format!("{key}: unknown here").into()),
        None => Ok(()),
    }
}

fn object(of: &Value) -> impl Iterator<Item = (&String, &Value)> {
    of.as_object().into_iter().flatten()
}

fn text<'a>(of: &'a Value, key: &str) -> Result<&'a str> {
    Ok(of[key].as_str().ok_or_else(|| format!("no {key}"))?)
}

fn schema_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(SCHEMAS)
}

/// Returns a schema with references to the bundle.
fn in_bundle(schema: &Value) -> Result<Value> {
    Ok(serde_json::from_str(
        &schema.to_string().replace(SCHEMAS, "#/$defs/"),
    )?)
}

/// Returns the name of an event's type: `SessionEvent` of the table `SessionEvents`.
fn event(table: &str) -> Result<&str> {
    let name = table.strip_suffix('s').filter(|name| !name.is_empty());
    Ok(name.ok_or_else(|| format!("x-events: {table} is no plural"))?)
}

/// Returns the definitions in the form that the bundle of the protocol has.
fn definitions(document: &Value) -> Result<Map<String, Value>> {
    let all = in_bundle(&document["components"]["schemas"])?;
    let mut all = all.as_object().ok_or("no schemas")?.clone();
    let paths = object(&document["paths"]).flat_map(|(_, item)| object(item));
    let tables: BTreeSet<_> = paths
        .filter_map(|(_, of)| {
            schema_name(&of["responses"]["200"]["content"]["text/event-stream"]["x-events"])
        })
        .collect();
    for table in tables {
        let events = all.remove(table).ok_or("x-events: no definition")?;
        add_events(event(table)?, &events, &mut all)?;
    }
    let nullable: BTreeSet<String> = all
        .iter_mut()
        .filter_map(|(name, schema)| remove_null(schema).then(|| name.clone()))
        .collect();
    let mut known = Vec::new();
    for (name, schema) in &mut all {
        if let Some(values) = open(schema) {
            known.push((format!("{name}Known"), values));
        }
        adapt(schema, &nullable);
    }
    for (name, values) in known {
        add(name, values, &mut all)?;
    }
    Ok(all)
}

fn add(name: String, schema: Value, all: &mut Map<String, Value>) -> Result {
    if all.contains_key(&name) {
        return Err(format!("{name} occurs twice").into());
    }
    all.insert(name, schema);
    Ok(())
}

/// Makes a union of a table of events: an event has its name, its ID and its data.
fn add_events(union: &str, table: &Value, all: &mut Map<String, Value>) -> Result {
    let mut members = Vec::new();
    for (event, data) in object(&table["properties"]) {
        let suffix: String = words(event).iter().map(|word| capital(word)).collect();
        let name = format!("{union}{suffix}");
        members.push(json!({ "$ref": format!("#/$defs/{name}") }));
        let schema = json!({
            "description": format!("The event `{event}`. {}", data["description"].as_str().unwrap_or_default()),
            "type": "object",
            "properties": {
                "event": { "type": "string", "enum": [event] },
                "id": { "type": "string", "description": "The ID, from which a later request resumes." },
                "data": data,
            },
            "required": ["event", "data"],
        });
        add(name, schema, all)?;
    }
    let schema = json!({ "description": table["description"], "oneOf": members });
    add(union.to_owned(), schema, all)
}

/// Removes the case null of a definition, and says whether it had one.
fn remove_null(schema: &mut Value) -> bool {
    let Some(cases) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else {
        return false;
    };
    let before = cases.len();
    cases.retain(|case| case["type"] != "null");
    cases.len() < before
}

/// Makes an enumeration open, as those of the bundle are, and returns its known values.
fn open(schema: &mut Value) -> Option<Value> {
    let values = schema.get("enum").or(schema.get("x-known-values"))?;
    let docs = &schema["x-value-descriptions"];
    let value = |value: &Value| {
        let doc = value.as_str().map_or(&Value::Null, |text| &docs[text]);
        json!({ "const": value, "description": doc })
    };
    let values: Vec<_> = values.as_array()?.iter().map(value).collect();
    *schema = json!({ "description": schema["description"], "oneOf": [] });
    Some(json!({ "oneOf": values }))
}

/// Takes null from properties that may be absent, because the server takes it for absence and does not write it. A
/// required property of a definition that may be null may be null.
fn adapt(schema: &mut Value, nullable: &BTreeSet<String>) {
    let required: BTreeSet<String> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|key| key.as_str().map(str::to_owned))
        .collect();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (key, property) in properties.into_iter().flatten() {
        let description = property["description"].clone();
        if !required.contains(key) {
            if let Some(types) = property["type"].as_array() {
                if let [ty, null] = &types[..]
                    && null == "null"
                {
                    property["type"] = ty.clone();
                }
            } else if let Some([of, null]) = property["anyOf"].as_array().map(Vec::as_slice)
                && null["type"] == "null"
            {
                *property = json!({ "allOf": [of], "description": description });
            }
        } else if reference(sole(property)).is_some_and(|name| nullable.contains(name)) {
            let of = sole(property).clone();
            *property = json!({ "anyOf": [of, { "type": "null" }], "description": description });
        }
    }
}
