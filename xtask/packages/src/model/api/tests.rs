use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{Form, Model, Type};
use super::{Api, Outcome};

/// A document with one operation, to which a test adds what it is about.
fn document() -> Value {
    let text = json!({ "type": "string" });
    let error = json!({ "content": { "application/json": {
        "schema": { "$ref": "#/components/schemas/ErrorBody" }
    } } });
    json!({
        "security": [{ "token": [] }],
        "components": {
            "securitySchemes": { "token": { "scheme": "bearer" } },
            "responses": { "Refused": error },
            "schemas": {
                "Body": { "type": "object", "properties": {
                    "id": { "$ref": "#/components/schemas/Id" },
                    "title": { "type": ["string", "null"] },
                    "phase": { "$ref": "#/components/schemas/Phase" },
                }, "required": ["id"] },
                "ErrorBody": { "type": "object", "properties": { "error": text }, "required": ["error"] },
                "Events": {
                    "type": "object",
                    "properties": { "turn_end": { "$ref": "#/components/schemas/Body" } },
                },
                "Id": { "anyOf": [{ "type": "null" }, { "type": "string" }, { "type": "number" }] },
                "Phase": { "type": "string", "enum": ["idle"] },
            },
        },
        "paths": { "/a/{id}": { "post": {
            "operationId": "makeA",
            "summary": "Makes an A.",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": text },
                { "name": "by", "in": "query", "schema": { "$ref": "#/components/schemas/Phase" } },
            ],
            "requestBody": { "required": true, "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Body" } }
            } },
            "responses": {
                "200": { "description": "", "content": {
                    "application/json": { "schema": { "$ref": "#/components/schemas/Body" } }
                } },
                "4XX": { "$ref": "#/components/responses/Refused" },
            },
        } } },
    })
}

fn read(document: &Value) -> xtask::run::Result<Api> {
    let protocol = Model {
        schema_version: String::new(),
        cli_version: String::new(),
        definitions: BTreeMap::new(),
        kinds: Vec::new(),
    };
    Api::of(document, &protocol)
}

#[test]
fn types_are_those_of_the_bundle() {
    let api = read(&document()).unwrap();
    let fields = &api.model.structure("Body").unwrap().fields;
    let field = |key: &str| fields.iter().find(|field| field.key == key).unwrap();
    assert!(field("id").is_nullable);
    assert_eq!(api.model.union("Id").unwrap().cases.len(), 2);
    let title = field("title");
    assert!(!title.is_nullable && !title.is_required && title.ty == Type::Text);
    let phase = &api.model.definitions["Phase"].form;
    assert!(matches!(phase, Form::Enumeration(values) if values[0].value == "idle"));
}

#[test]
fn events_are_a_union_by_their_names() {
    let mut document = document();
    document["paths"]["/a/{id}"]["post"]["responses"]["200"]["content"] = json!({
        "text/event-stream": {
            "schema": { "type": "string" },
            "x-events": { "$ref": "#/components/schemas/Events" },
        }
    });
    let api = read(&document).unwrap();
    assert_eq!(
        api.operations[0].result,
        Outcome::Events("Event".to_owned())
    );
    let event = api.model.structure("EventTurnEnd").unwrap();
    assert_eq!(event.tags[0].value, "turn_end");
    let expected = Type::Named("Body".to_owned());
    assert!(event.fields.iter().any(|field| field.ty == expected));
}

#[test]
fn what_no_template_can_express_fails_with_its_place() {
    let place = "paths: /a/{id}: post";
    let schema = json!({ "type": "string" });
    for (pointer, value, expected) in [
        ("/callbacks", json!({}), "callbacks: unknown here"),
        (
            "/parameters/1/in",
            json!("cookie"),
            "parameters: by: in: \"cookie\"",
        ),
        (
            "/parameters/1/style",
            json!("deepObject"),
            "parameters: by: style: unknown here",
        ),
        (
            "/parameters/1/schema",
            json!({ "type": "array", "items": schema }),
            "parameters: by: schema: no text, flag, integer or enumeration: List(Text)",
        ),
        (
            "/parameters/0/name",
            json!("no"),
            "parameters: none is id of the path",
        ),
        (
            "/requestBody/content/text~1plain",
            json!({}),
            "requestBody: text/plain: unknown here",
        ),
        (
            "/requestBody/required",
            json!(false),
            "requestBody: it may be absent",
        ),
        (
            "/security",
            json!([{ "other": [] }]),
            "security: neither that of the document nor none",
        ),
        (
            "/responses/302",
            json!({}),
            "responses: 302: a status that clients do not expect",
        ),
        (
            "/responses/4XX",
            json!({}),
            "responses: 4XX: no reference to a response",
        ),
        (
            "/responses/200/headers",
            json!({ "x-next": {} }),
            "responses: 200: headers: x-next is returned by no method",
        ),
        (
            "/responses/200/content/image~1png",
            json!({ "schema": schema }),
            "responses: 200: image/png: a form that clients do not read",
        ),
        (
            "/responses/201",
            json!({ "content": { "application/json": { "schema": schema } } }),
            "responses: no result, or more than one: [Json(Named(\"Body\"), false), Json(Text, false)]",
        ),
        (
            "/responses/200/content/application~1json/schema/$ref",
            json!("#/components/schemas/Nothing"),
            "responses: 200: no definition Nothing",
        ),
    ] {
        let mut document = document();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let operation = &mut document["paths"]["/a/{id}"]["post"];
        operation.pointer_mut(parent).unwrap()[key.replace("~1", "/")] = value;
        let error = read(&document).err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("{place}: {expected}")));
    }
    let mut document = document();
    document["components"]["schemas"]["Body"]["properties"]["id"] = json!({ "not": {} });
    let error = read(&document).err().map(|error| error.to_string());
    assert!(
        error
            .unwrap()
            .starts_with("$defs/Body: properties/id: an unknown form")
    );
}
