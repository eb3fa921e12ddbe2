//! Collects the parameters, the body and the responses of one route.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

/// The generators of definitions for input and output. They differ because clients may leave out members with a
/// default, and the server always sends them.
pub(crate) struct Generators {
    pub(crate) input: SchemaGenerator,
    pub(crate) output: SchemaGenerator,
}

impl Generators {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12();
        Self {
            input: settings.clone().for_deserialize().into_generator(),
            output: settings.for_serialize().into_generator(),
        }
    }
}

/// The inputs and outputs of a route.
pub(crate) struct Facts<'a> {
    generators: &'a mut Generators,
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Value>,
    /// The responses. The keys are their statuses.
    pub(crate) responses: Value,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(generators: &'a mut Generators) -> Self {
        Self {
            generators,
            parameters: Vec::new(),
            body: None,
            // The guard can refuse any request, so each route can have this response.
            responses: json!({ "4XX": { "$ref": "#/components/responses/Refused" } }),
        }
    }

    /// Returns the schema of a type that clients send.
    pub(crate) fn input<T: JsonSchema>(&mut self) -> Value {
        self.generators.input.subschema_for::<T>().to_value()
    }

    /// Returns the schema of a type that the server sends.
    pub(crate) fn output<T: JsonSchema>(&mut self) -> Value {
        self.generators.output.subschema_for::<T>().to_value()
    }

    pub(crate) fn query<T: JsonSchema>(&mut self) {
        let name = T::schema_name();
        drop(self.input::<T>());
        let definition = self.generators.input.definitions().get(&*name);
        let definition = definition.cloned().unwrap_or_default();
        let required: Vec<_> = definition["required"]
            .as_array()
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let properties = definition["properties"].as_object();
        let mut properties: Vec<_> = properties.into_iter().flatten().collect();
        // The order of a map's keys depends on the features of the build, so the properties are sorted.
        properties.sort_unstable_by_key(|(name, _)| *name);
        for (name, schema) in properties {
            let mut schema = schema.clone();
            let text = schema["description"].take();
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("description");
            }
            self.parameters.push(json!({
                "name": name,
                "in": "query",
                "description": text,
                "required": required.contains(&name.as_str().into()),
                "schema": without_null(schema)
            }));
        }
    }

    pub(crate) fn header(&mut self, name: &str, text: &str, is_required: bool) {
        self.parameters.push(json!({
            "name": name,
            "in": "header",
            "description": text,
            "required": is_required,
            "schema": { "type": "string" }
        }));
    }

    pub(crate) fn body<T: JsonSchema>(&mut self) {
        let schema = self.input::<T>();
        self.body = Some(json!({
            "required": true,
            "content": { "application/json": { "schema": schema } }
        }));
    }

    pub(crate) fn respond(&mut self, status: &str, text: &str) {
        self.responses[status] = json!({ "description": text });
    }

    pub(crate) fn json<T: JsonSchema>(&mut self, status: &str) {
        let schema = self.output::<T>();
        let definitions = self.generators.output.definitions();
        let name: Cow<'_, str> = T::schema_name();
        let text = definitions.get(&*name);
        let text = text.and_then(|definition| definition["description"].as_str());
        let text = text.map_or_else(
            || "The result of the request.".to_owned(),
            claw_types::schema::tidy,
        );
        self.respond(status, &text);
        self.responses[status]["content"] = json!({ "application/json": { "schema": schema } });
    }

    pub(crate) fn may_fail(&mut self) {
        self.responses["5XX"] = json!({ "$ref": "#/components/responses/Failed" });
    }
}

/// Removes null from the schema of a parameter. A parameter that is present is never null.
fn without_null(mut schema: Value) -> Value {
    if let Some(kinds) = schema["type"].as_array() {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        schema["type"] = kind.unwrap_or_default();
    }
    let members = schema["anyOf"].as_array().into_iter().flatten();
    let member = members.clone().find(|member| member["type"] != "null");
    if let Some(member) = member.cloned() {
        return member;
    }
    if let Value::Object(schema) = &mut schema {
        schema.retain(|_, value| !value.is_null());
    }
    schema
}
