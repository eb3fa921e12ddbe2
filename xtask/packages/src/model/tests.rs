use serde_json::{Value, json};

use super::*;

fn schemas() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

/// Returns the model of a bundle with these definitions.
fn model(definitions: &Value) -> Result<Model> {
    let bundle =
        json!({ "$defs": definitions, "x-schema-version": "0.1.0", "x-cli-version": "1.0.0" });
    Model::of(&bundle, &json!({ "kinds": [] }))
}

fn error(definitions: &Value) -> String {
    match model(definitions) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn tagged(key: &str, value: &str) -> Value {
    json!({
        "type": "object", "required": [key],
        "properties": { key: { "type": "string", "enum": [value] } }
    })
}

#[test]
fn the_bundle_is_read_whole() {
    let model = Model::read(&schemas()).unwrap();
    let bundle = fs::read_to_string(schemas().join("codegen/claw.schema.json")).unwrap();
    let bundle: Value = serde_json::from_str(&bundle).unwrap();
    let all = bundle["$defs"].as_object().unwrap();
    for name in all.keys() {
        let open = name
            .strip_suffix("Known")
            .filter(|open| all.contains_key(*open));
        let found = model.definitions.get(open.unwrap_or(name));
        match (open, found.map(|found| &found.form)) {
            (Some(_), form) => assert!(matches!(form, Some(Form::Enumeration(_))), "{name}"),
            (None, Some(Form::Struct(form))) => {
                let keys = form.fields.len() + form.tags.len();
                assert_eq!(
                    keys,
                    all[name]["properties"].as_object().unwrap().len(),
                    "{name}"
                );
            }
            (None, Some(Form::Union(form))) => {
                let members = all[name]["oneOf"]
                    .as_array()
                    .or(all[name]["anyOf"].as_array());
                assert_eq!(form.cases.len(), members.unwrap().len(), "{name}");
            }
            (None, Some(_)) => {}
            (None, None) => assert_eq!(name, "Json"),
        }
    }
}

#[test]
fn unions_recognise_the_kinds_of_meta() {
    let model = Model::read(&schemas()).unwrap();
    let mut of_roots = 0;
    for (direction, root) in ROOTS {
        of_roots += model.union(root).unwrap().cases.len();
        for kind in model
            .kinds
            .iter()
            .filter(|kind| kind.direction == direction)
        {
            let mut object: Map<_, _> = kind.tags.clone().into_iter().collect();
            // meta.json does not list the values of a tag that has several.
            if kind.definition == "ResultError" {
                object.insert("subtype".to_owned(), json!("error_max_turns"));
            }
            if kind.definition == "SystemEntry" {
                object.insert("subtype".to_owned(), json!("of_tomorrow"));
            }
            assert_eq!(
                model.case_of(root, &object),
                Some(&*kind.definition),
                "{object:?}"
            );
        }
    }
    assert_eq!(of_roots, model.kinds.len());
}

#[test]
fn every_control_request_is_a_type() {
    let model = Model::read(&schemas()).unwrap();
    for case in &model.union("ControlRequestBody").unwrap().cases {
        let Type::Named(name) = &case.ty else {
            panic!("{case:?}");
        };
        assert_eq!(model.structure(name).unwrap().tags.len(), 1, "{name}");
    }
    let initialize = model.structure("Initialize").unwrap();
    assert_eq!(initialize.answer.as_deref(), Some("InitializeResponse"));
}

#[test]
fn fields_know_how_they_may_appear() {
    let model = model(&json!({
        "Json": {},
        "Thing": {
            "type": "object", "required": ["type", "a", "b"],
            "properties": {
                "type": { "type": "string", "enum": ["thing"] },
                "a": { "type": ["string", "null"], "description": "A." },
                "b": { "type": "array", "items": { "type": ["number", "null"] } },
                "c": { "anyOf": [{ "$ref": "#/$defs/Thing" }, { "type": "null" }] },
                "d": { "allOf": [{ "$ref": "#/$defs/Json" }], "x-since": "2.0.0" },
                "e": { "type": "object", "additionalProperties": { "type": "boolean" } }
            }
        }
    }))
    .unwrap();
    let form = model.structure("Thing").unwrap();
    let tag = Tag {
        key: "type".to_owned(),
        value: json!("thing"),
    };
    assert_eq!(form.tags, [tag]);
    let found: Vec<_> = form
        .fields
        .iter()
        .map(|field| (&*field.key, &field.ty, field.is_required, field.is_nullable))
        .collect();
    let numbers = Type::Nullable(Box::new(Type::Number));
    let expected = [
        ("a", &Type::Text, true, true),
        ("b", &Type::List(Box::new(numbers)), true, false),
        ("c", &Type::Named("Thing".to_owned()), false, true),
        ("d", &Type::Json, false, false),
        ("e", &Type::Dictionary(Box::new(Type::Flag)), false, false),
    ];
    assert_eq!(found, expected);
    assert_eq!(form.fields[3].since.as_deref(), Some("2.0.0"));
}

#[test]
fn a_case_with_more_conditions_comes_first() {
    let model = model(&json!({
        "A": tagged("type", "x"),
        "B": {
            "type": "object", "required": ["type", "subtype"],
            "properties": {
                "type": { "type": "string", "enum": ["x"] },
                "subtype": { "type": "string", "enum": ["y"] }
            }
        },
        "Any": { "oneOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }] }
    }))
    .unwrap();
    let case = |object: Value| model.case_of("Any", object.as_object().unwrap());
    assert_eq!(case(json!({ "type": "x", "subtype": "y" })), Some("B"));
    assert_eq!(case(json!({ "type": "x", "subtype": "z" })), Some("A"));
    assert_eq!(case(json!({ "type": "z" })), None);
    assert_eq!(case(json!({})), None);
}

#[test]
fn an_error_names_its_place() {
    let field =
        |property: Value| json!({ "T": { "type": "object", "properties": { "a": property } } });
    assert_eq!(
        error(&field(
            json!({ "type": "array", "items": { "type": "date" } })
        )),
        "$defs/T: properties/a: items: type: date"
    );
    assert_eq!(
        error(&field(json!({ "$ref": "#/$defs/Other" }))),
        "$defs/T/properties/a: no definition Other"
    );
    assert_eq!(
        error(&json!({ "U": { "oneOf": [{ "$ref": "#/$defs/T" }] }, "T": { "properties": {} } })),
        "$defs/U: oneOf/0: T has no tag"
    );
    let texts = json!([{ "type": "string" }, { "type": "string" }]);
    assert_eq!(
        error(&json!({ "U": { "anyOf": texts } })),
        "$defs/U: anyOf: two cases that nothing tells apart"
    );
}

#[test]
fn a_line_is_read_kept_or_refused() {
    let model = Model::read(&schemas()).unwrap();
    let reading = |line: Value| model.reading("stdout", &line.to_string());
    let answer = |block: Value| {
        json!({
            "type": "assistant", "uuid": "u", "session_id": "s", "parent_tool_use_id": null,
            "message": {
                "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block],
                "stop_reason": null, "stop_sequence": null,
                "usage": { "input_tokens": 1, "output_tokens": 1 }
            }
        })
    };
    let refused = |path: &str| Reading::Refused(path.to_owned());
    let text = json!({ "type": "text", "text": "a" });
    assert_eq!(reading(answer(text)), Reading::Known(0));
    assert_eq!(
        reading(answer(json!({ "type": "of_tomorrow" }))),
        Reading::Known(1)
    );
    assert_eq!(
        reading(answer(json!({ "type": "text" }))),
        refused("message.content[0].text")
    );
    assert_eq!(reading(answer(json!([]))), refused("message.content[0]"));
    assert_eq!(reading(json!({ "type": "of_tomorrow" })), Reading::Unknown);
    assert_eq!(reading(json!([])), refused(""));
    assert_eq!(model.reading("stdout", "{"), refused(""));
    let mut line = answer(json!({ "type": "text", "text": "" }));
    line["error"] = Value::Null;
    assert_eq!(reading(line.clone()), Reading::Known(0));
    line["uuid"] = Value::Null;
    assert_eq!(reading(line), refused("uuid"));
    // An internal kind in another form is unknown.
    let summary = |detail: Value| {
        reading(json!({
            "type": "system", "subtype": "task_summary", "detail": detail, "uuid": "u", "session_id": "s"
        }))
    };
    assert_eq!(summary(json!(7)), Reading::Unknown);
}
