//! What the server says is what its OpenAPI document says. The client of all tests asks this module about every response
//! and every event.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use claw_server::Server;
use claw_testkit::agent::Script;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::client::{Response, Running};

/// The document that the crate serves. `cargo xtask ci schemas` checks that it is that of the types.
static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../openapi.json")).unwrap());

/// The operation of a request.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap_or_default();
    let is_it = |template: &str| {
        let parts = template.split('/').map(|part| part.starts_with('{'));
        let same = template.split('/').zip(path.split('/')).zip(parts);
        template.split('/').count() == path.split('/').count()
            && same.fold(true, |so_far, ((one, other), is_any)| {
                so_far && (is_any || one == other)
            })
    };
    let mut paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let (_, operations) = paths.find(|(template, _)| is_it(template))?;
    operations.get(method.to_ascii_lowercase())
}

/// Whether a value is of a schema, which may refer to the document's components.
#[track_caller]
fn fits(schema: &Value, value: &Value) {
    static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = known.entry(schema.to_string()).or_insert_with(|| {
        let root = json!({ "allOf": [schema], "components": DOCUMENT["components"] });
        Arc::new(jsonschema::draft202012::new(&root).unwrap())
    });
    let validator = validator.clone();
    drop(known);
    let errors = validator.iter_errors(value);
    let errors: Vec<_> = errors.map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}: {value:#}");
}

/// Fails unless a response is one that the document knows.
#[track_caller]
pub(crate) fn check(method: &str, path: &str, response: &Response) {
    let Some(operation) = operation(method, path) else {
        return;
    };
    let status = response.status.to_string();
    let class = format!("{}XX", &status[..1]);
    let responses = &operation["responses"];
    let known = responses.get(&status).or_else(|| responses.get(&class));
    let known = known.unwrap_or_else(|| panic!("{method} {path}: {status} is not in the document"));
    let target = known["$ref"].as_str().unwrap_or_default();
    let known = DOCUMENT
        .pointer(target.trim_start_matches('#'))
        .filter(|_| !target.is_empty())
        .unwrap_or(known);
    let contents = known["content"].as_object();
    let kind = response.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    match contents.and_then(|contents| contents.get(kind)) {
        Some(content) if kind == "application/json" => fits(&content["schema"], &response.json()),
        Some(_) => {}
        None => assert!(
            contents.is_none() && response.body.is_empty(),
            "{method} {path}: {status} with {kind:?} is not in the document"
        ),
    }
}

/// Fails unless the document knows an event.
#[track_caller]
pub(crate) fn check_event(kind: &str, data: &Value) {
    let events = &DOCUMENT["components"]["schemas"]["SessionEvents"]["properties"];
    let schema = events.get(kind);
    fits(schema.unwrap_or_else(|| panic!("no event {kind}")), data);
}

/// Fails unless the document knows a message of a WebSocket: `x-server-message` or `x-client-message`.
#[track_caller]
pub(crate) fn check_message(side: &str, message: &Value) {
    let socket = operation("GET", "/api/sessions/x/socket").unwrap();
    fits(&socket["responses"]["101"][side], message);
}

#[tokio::test]
async fn the_document_has_the_routes_that_have_a_name_and_says_which_ones_are_open() {
    let running = Running::start(Script::reply("Hi.")).await;
    let served = running.ask("GET", "/openapi.json", &Value::Null).await;
    assert_eq!(served.json(), *DOCUMENT);
    let mut named = BTreeSet::new();
    for route in Server::routes() {
        let (method, path, host) = (&route.method, route.example_path("x"), running.address);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        );
        let status = running.raw(&request).await.status;
        assert_eq!(status != 401, route.is_open, "{method} {path}: {status}");
        if let Some(name) = route.name {
            let method = method.as_str().to_ascii_lowercase();
            let operation = &DOCUMENT["paths"][route.path][&method];
            assert_eq!(operation["operationId"], name, "{method} {path}");
            let is_open = operation["security"] == json!([]);
            assert_eq!(is_open, route.is_open, "{method} {path}");
            named.insert((route.path.to_owned(), method));
        }
    }
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let documented = paths.flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys();
        methods.map(|method| (path.clone(), method.clone()))
    });
    assert_eq!(documented.collect::<BTreeSet<_>>(), named);
    running.end().await;
}

#[test]
fn what_is_not_in_the_document_is_found() {
    let response = |status, body: &str| Response {
        status,
        head: "HTTP/1.1 200 OK\r\ncontent-type: application/json".to_owned(),
        body: body.to_owned(),
    };
    let is_found = |path: &'static str, response: Response| {
        std::panic::catch_unwind(|| check("GET", path, &response)).is_err()
    };
    assert!(!is_found("/health", response(200, r#"{"status":"ok"}"#)));
    assert!(is_found("/health", response(200, r#"{"status":"well"}"#)));
    assert!(is_found("/health", response(202, r#"{"status":"ok"}"#)));
    assert!(is_found("/api/sessions/a", response(200, "{}")));
    assert!(is_found("/api/sessions/a", response(404, "{}")));
    let event = || check_event("state", &json!({"phase": "asleep"}));
    assert!(std::panic::catch_unwind(event).is_err());
}

#[test]
fn the_documentation_has_each_route_of_the_document() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/serve.md");
    let text = std::fs::read_to_string(path).unwrap();
    for route in Server::routes().iter().filter(|route| route.name.is_some()) {
        let route = format!("`{} {}`", route.method, route.path);
        assert!(text.contains(&route), "{route} is not in docs/serve.md");
    }
}
