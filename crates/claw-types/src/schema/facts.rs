//! Facts that a definition does not state itself: its direction, and its response.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::control::Request;

/// The facts of definitions, by name.
pub(super) type Facts = BTreeMap<String, Map<String, Value>>;

/// The directions of lines, and the words with which the descriptions of control requests begin.
const WAYS: [(&str, &str, &str); 2] = [
    ("stdout", "StdoutMessage", "To the host"),
    ("stdin", "StdinMessage", "To `claude`"),
];
const BOTH_WAYS: &str = "In both directions";

/// The union whose members do not go in both directions, although the type that holds them does.
const REQUESTS: &str = "ControlRequestBody";

/// Finds the facts of definitions. `responses` are pairs of a control request and its response.
/// `roots` are further directions with their definitions.
pub(super) fn facts(
    definitions: &Map<String, Value>,
    responses: &[(String, String)],
    roots: &[(&'static str, &'static str)],
) -> Facts {
    let mut ways: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut go = |way: &'static str, words: Option<&str>, from: &str| {
        let mut next: Vec<_> = definitions.get_key_value(from).into_iter().collect();
        while let Some((name, definition)) = next.pop() {
            if !ways.entry(name).or_default().insert(way) {
                continue;
            }
            let inner = references(definition)
                .filter(|inner| name != REQUESTS || goes(&definitions[*inner], words));
            next.extend(inner.filter_map(|inner| definitions.get_key_value(inner)));
        }
    };
    for (way, root, words) in WAYS {
        go(way, Some(words), root);
    }
    for (request, response) in responses {
        // A response goes in the opposite direction of its request.
        for (at, (_, _, words)) in WAYS.iter().enumerate() {
            if definitions
                .get(request)
                .is_some_and(|request| goes(request, Some(words)))
            {
                let (way, _, words) = WAYS[1 - at];
                go(way, Some(words), response);
            }
        }
    }
    for (way, root) in roots {
        go(way, None, root);
    }
    let mut facts = Facts::new();
    for (name, ways) in ways {
        let ways: Vec<_> = ways.into_iter().collect();
        let fact = facts.entry(name.to_owned()).or_default();
        fact.insert("x-direction".to_owned(), ways.into());
    }
    for (request, response) in responses {
        let fact = facts.entry(request.clone()).or_default();
        fact.insert("x-answer".to_owned(), response.as_str().into());
    }
    facts
}

/// Adds the known facts to definitions. A definition that is used nowhere else gets the direction
/// `otherwise`.
pub(super) fn state(definitions: &mut Value, facts: &Facts, otherwise: &str) {
    for (name, definition) in definitions.as_object_mut().into_iter().flatten() {
        let Some(definition) = definition.as_object_mut() else {
            continue;
        };
        match facts.get(name) {
            Some(facts) => definition.extend(facts.clone()),
            None => _ = definition.insert("x-direction".to_owned(), vec![otherwise].into()),
        }
    }
}

/// Whether a control request is sent in this direction, by the first words of its description.
fn goes(request: &Value, words: Option<&str>) -> bool {
    let description = request["description"].as_str().unwrap_or_default();
    words.is_none_or(|words| description.starts_with(words)) || description.starts_with(BOTH_WAYS)
}

/// Defines the response of a request. Returns the definitions of both. On the wire a response is any JSON, because its
/// type follows only from the request. A response without a fixed form is `Json`.
pub(crate) fn response<R: Request<Response: JsonSchema> + JsonSchema>(
    generator: &mut SchemaGenerator,
) -> (String, String) {
    // An `Option` if a response may carry nothing.
    let response = generator.subschema_for::<R::Response>().to_value();
    let response = references(&response).next().unwrap_or_default();
    (R::schema_name().into_owned(), response.to_owned())
}

/// Returns the definitions that a schema refers to, at any depth.
pub(super) fn references(schema: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match schema {
        Value::Object(map) => {
            let here = map.get("$ref").and_then(Value::as_str);
            let here = here.and_then(|reference| reference.strip_prefix("#/$defs/"));
            Box::new(here.into_iter().chain(map.values().flat_map(references)))
        }
        Value::Array(items) => Box::new(items.iter().flat_map(references)),
        _ => Box::new(std::iter::empty()),
    }
}
