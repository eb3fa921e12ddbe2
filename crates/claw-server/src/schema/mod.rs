//! JSON Schemas and the OpenAPI document of the server's interfaces (feature `schema`). Both are generated from the
//! tables of routes and the signatures of their handlers.

mod kinds;
mod openapi;
mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use claw_types::schema::identify;
use claw_view::schema::{in_form, normalize, referred};
use serde_json::{Map, Value, json};

use crate::ErrorBody;
use crate::api::table::Row;
use crate::guard::login;
use crate::routes::rows;
use crate::signature::{Facts, Generators};

/// Returns the generated files with their paths below `schemas/`. `server.schema.json` contains every type of the
/// interfaces. `openapi.json` is the OpenAPI 3.1 document of the routes.
pub fn files() -> Vec<(&'static str, Value)> {
    let interface = Interface::read();
    vec![
        ("openapi.json", openapi::document(&interface)),
        ("server.schema.json", interface.bundle()),
    ]
}

/// All routes, and the definitions of their types.
struct Interface {
    /// Paths with their operations.
    paths: Map<String, Value>,
    definitions: Map<String, Value>,
}

impl Interface {
    fn read() -> Self {
        let mut generators = Generators::new();
        let mut paths = Map::new();
        for row in &rows() {
            add(row, &mut paths, &mut generators);
        }
        for row in &login::rows() {
            add(row, &mut paths, &mut generators);
        }
        drop(generators.output.subschema_for::<ErrorBody>());
        let mut definitions = generators.input.take_definitions(true);
        definitions.extend(generators.output.take_definitions(true));
        let mut used = BTreeSet::new();
        for operations in paths.values_mut() {
            normalize(operations);
            add_referred(operations, &mut used);
        }
        Self {
            paths,
            definitions: in_form(definitions, &used, "server"),
        }
    }

    fn bundle(&self) -> Value {
        let mut inner = BTreeSet::new();
        self.definitions
            .values()
            .for_each(|definition| add_referred(definition, &mut inner));
        let names = self.definitions.keys();
        let mut roots: Vec<_> = names.filter(|name| !inner.contains(*name)).collect();
        // The order of a map's keys depends on the features of the build, so the names are sorted.
        roots.sort_unstable();
        let roots: Vec<_> = roots
            .into_iter()
            .map(|name| json!({ "$ref": format!("#/$defs/{name}") }))
            .collect();
        let mut root = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Server",
            "description": "What `claw serve` and its clients exchange.",
            "anyOf": roots,
            "$defs": self.definitions
        });
        identify(&mut root, "server");
        root
    }
}

/// Adds the OpenAPI operation of a route. Routes of the page have no operation.
fn add<S>(row: &Row<S>, paths: &mut Map<String, Value>, generators: &mut Generators) {
    let Some(describe) = row.describe else { return };
    let mut facts = Facts::new(generators);
    describe(&mut facts);
    let path = paths.entry(row.route.path).or_insert_with(|| json!({}));
    let (method, operation) = openapi::operation(&row.route, facts);
    path[method] = operation;
}

/// Adds the names of the definitions that a schema refers to.
fn add_referred(schema: &Value, found: &mut BTreeSet<String>) {
    referred(schema, &mut |name| {
        found.insert(name.to_owned());
    });
}
