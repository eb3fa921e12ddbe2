//! The OpenAPI document.

use serde_json::{Value, json};

use super::Interface;
use crate::api::extract::KEY;
use crate::api::table::Route;
use crate::guard::COOKIE;
use crate::signature::Facts;

/// The descriptions of path parameters, by their names.
const IN_PATHS: [(&str, &str); 6] = [
    ("id", "The ID of the session."),
    ("request", "The ID of the request."),
    ("code", "The code of the login link."),
    ("project", "The name of the project."),
    ("prompt", "The UUID of the prompt."),
    ("task", "The ID of the task."),
];

/// Returns the parameters that a path declares. Each `{name}` in the path is a parameter. If it has no entry in
/// [`IN_PATHS`], it has no description.
fn in_path(path: &str) -> impl Iterator<Item = Value> {
    let names = path.split('{').skip(1);
    let names = names.filter_map(|rest| rest.split_once('}').map(|(name, _)| name));
    names.map(|name| {
        let mut parameter = json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string" }
        });
        if let Some((_, text)) = IN_PATHS.iter().find(|(known, _)| *known == name) {
            parameter["description"] = (*text).into();
        }
        parameter
    })
}

/// Returns the OpenAPI name of a route's method, and the operation of the route.
pub(super) fn operation(route: &Route, facts: Facts<'_>) -> (String, Value) {
    let method = route.method.as_str().to_ascii_lowercase();
    let parameters: Vec<_> = in_path(route.path).chain(facts.parameters).collect();
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.about,
        "responses": facts.responses
    });
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = facts.body {
        operation["requestBody"] = body;
    }
    if route.is_open {
        operation["security"] = json!([]);
    }
    (method, operation)
}

/// Returns the whole document.
pub(super) fn document(interface: &Interface) -> Value {
    let refusal = |text: &str| {
        json!({
            "description": text,
            "content": { "application/json": { "schema": { "$ref": "#/$defs/ErrorBody" } } }
        })
    };
    let version = &interface.bundle()["x-schema-version"];
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "claw serve",
            "version": version,
            "description": "Sessions of Claude Code as a service. A browser that uses the cookie has to say which page \
                a request that changes something is of, by `Origin` or `Sec-Fetch-Site`, as browsers do by themselves.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "login": [], "key": [] }],
        "paths": interface.paths,
        "components": {
            "schemas": interface.definitions,
            "responses": {
                "Refused": refusal("The request is refused: `kind` says why, for programs."),
                "Failed": refusal("The server is busy, or failed.")
            },
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token that `claw serve` prints, or that of `--token-file`."
                },
                "login": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "The cookie of a login. It is of no use without the key that came with the login."
                },
                "key": {
                    "type": "apiKey",
                    "in": "header",
                    "name": KEY.as_str(),
                    "description": "The key that came with the login: 64 hexadecimal digits."
                }
            }
        }
    });
    to_components(&mut document);
    document
}

/// Changes references so that they point to the components of the document. Removes keywords that only one generator
/// uses.
fn to_components(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("tsType").is_some_and(Value::is_string) {
                map.remove("tsType");
            }
            if let Some(Value::String(target)) = map.get_mut("$ref")
                && let Some(name) = target.strip_prefix("#/$defs/")
            {
                *target = format!("#/components/schemas/{name}");
            }
            map.values_mut().for_each(to_components);
        }
        Value::Array(items) => items.iter_mut().for_each(to_components),
        _ => {}
    }
}
