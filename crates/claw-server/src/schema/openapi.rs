//! The OpenAPI document.

use serde_json::{Value, json};

use super::{Facts, Interface};
use crate::api::table::{Method, Route};
use crate::guard::COOKIE;

/// What stands in a path.
const IN_PATHS: [(&str, &str); 3] = [
    ("id", "The ID of the session."),
    ("request", "The ID of the request."),
    ("code", "The code of the login link."),
];

/// The operation of a route, with its method as OpenAPI names it.
pub(super) fn operation<S>(route: &Route<S>, facts: Facts<'_>) -> (&'static str, Value) {
    let method = match route.method {
        Method::Get => "get",
        Method::Post => "post",
        Method::Patch => "patch",
    };
    let in_path = IN_PATHS
        .iter()
        .filter(|(name, _)| route.path.contains(&format!("{{{name}}}")));
    let in_path = in_path.map(|(name, text)| {
        json!({
            "name": name,
            "in": "path",
            "description": text,
            "required": true,
            "schema": { "type": "string" }
        })
    });
    let parameters: Vec<_> = in_path.chain(facts.parameters).collect();
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

/// The whole document.
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
        "security": [{ "token": [] }, { "login": [] }],
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
                    "description": "The cookie that a login link sets."
                }
            }
        }
    });
    to_components(&mut document);
    document
}

/// Definitions stand in the components of a document.
fn to_components(value: &mut Value) {
    match value {
        Value::Object(map) => {
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
