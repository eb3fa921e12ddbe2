//! The schemas say what the types say: recorded and written lines fit, damaged ones don't.

use std::collections::{BTreeMap, BTreeSet};

use claw_types::line_to_value;
use claw_types::schema::files;
use claw_types::{StdinMessage, StdoutMessage, from_line};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{keys, recorded, recorded_where, seed, valid_seeds};

fn schema(name: &str) -> Value {
    let found = files().into_iter().find(|(path, _)| *path == name);
    found.unwrap_or_else(|| panic!("no schema {name}")).1
}

fn validator(name: &str) -> Validator {
    jsonschema::validator_for(&schema(name)).unwrap()
}

fn assert_fits(validator: &Validator, line: &str) {
    let value = line_to_value(line).unwrap();
    if let Err(error) = validator.validate(&value) {
        panic!("{error} at {}: {line}", error.instance_path());
    }
}

#[test]
fn every_recorded_line_fits() {
    let stdout = validator("stdout.schema.json");
    for sample in recorded("stdout.ndjson") {
        assert_fits(&stdout, &sample.line);
    }
    let stdin = validator("stdin.schema.json");
    for sample in recorded("stdin.ndjson") {
        assert_fits(&stdin, &sample.line);
    }
    let transcript = validator("transcript.schema.json");
    for sample in recorded_where(|file| file.starts_with("transcript")) {
        assert_fits(&transcript, &sample.line);
    }
}

/// The official SDKs' own lines are among them, of every sort that a host writes.
#[test]
fn the_official_sdks_lines_fit() {
    let stdin = validator("stdin.schema.json");
    for sdk in ["official_typescript/", "official_python/"] {
        let mut kinds = BTreeSet::new();
        for sample in recorded("stdin.ndjson") {
            if sample.name.starts_with(sdk) {
                assert_fits(&stdin, &sample.line);
                let message: StdinMessage = from_line(sample.line.as_bytes()).unwrap();
                kinds.insert(match &message {
                    StdinMessage::ControlRequest(question) => {
                        question.request.subtype().into_owned()
                    }
                    _ => message.kind().into_owned(),
                });
            }
        }
        for kind in [
            "user",
            "control_response",
            "initialize",
            "interrupt",
            "set_model",
        ] {
            assert!(kinds.contains(kind), "{sdk}: no {kind} in {kinds:?}");
        }
    }
}

#[test]
fn what_is_read_fits() {
    let stdout = validator("stdout.schema.json");
    let stdin = validator("stdin.schema.json");
    for seed in valid_seeds() {
        assert_fits(&stdout, &seed.line);
        if from_line::<StdinMessage>(seed.line.as_bytes()).is_ok() {
            assert_fits(&stdin, &seed.line);
        }
    }
}

/// Every key of a seed in turn is taken out, and every value replaced: the schema and the types
/// agree on what is left.
#[test]
fn what_is_not_read_does_not_fit() {
    let stdout = validator("stdout.schema.json");
    let mut refused = 0;
    for seed in valid_seeds() {
        let tree: Value = serde_json::from_str(&seed.line).unwrap();
        let mut pointers = Vec::new();
        keys(&tree, "", &mut pointers);
        for (object, key) in pointers {
            for new in [
                None,
                Some(Value::Null),
                Some(json!({})),
                Some(json!("x")),
                Some(json!(-1)),
                Some(json!(true)),
                Some(json!([])),
            ] {
                let mut tree = tree.clone();
                let target = tree.pointer_mut(&object).and_then(Value::as_object_mut);
                match &new {
                    None => drop(target.unwrap().remove(&key)),
                    Some(new) => drop(target.unwrap().insert(key.clone(), new.clone())),
                }
                let is_read = from_line::<StdoutMessage>(tree.to_string().as_bytes());
                refused += usize::from(is_read.is_err());
                assert_eq!(
                    stdout.is_valid(&tree),
                    is_read.is_ok(),
                    "{}: {object}/{key} as {new:?}: {is_read:?}\n{tree}",
                    seed.name
                );
            }
        }
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn options_fit() {
    let options = validator("options.schema.json");
    for (value, fits) in [
        (json!({}), true),
        (
            json!({"model": "m", "maxTurns": 3, "env": {"A": "b", "C": null}}),
            true,
        ),
        (json!({"systemPrompt": ["a", "b"]}), true),
        (
            json!({"systemPrompt": {"type": "preset", "preset": "claude_code"}}),
            true,
        ),
        (json!({"systemPrompt": {"type": "preset"}}), false),
        // A form of tomorrow's: read, and refused before anything is started.
        (json!({"systemPrompt": {"type": "tomorrow"}}), true),
        (
            json!({"tools": ["Bash"], "skills": "all", "settings": "/x"}),
            true,
        ),
        (
            json!({"tools": {"type": "preset", "preset": "claude_code"}}),
            true,
        ),
        (json!({"tools": "Bash"}), false),
        (
            json!({"settings": {"any": ["thing"]}, "skills": ["a"]}),
            true,
        ),
        (json!({"settings": []}), false),
        (
            json!({"mcpServers": {"s": {"command": "serve", "env": {"A": "b"}}}}),
            true,
        ),
        (
            json!({"mcpServers": {"s": {"type": "http", "url": "u", "headers": {}}}}),
            true,
        ),
        (json!({"mcpServers": {"s": {"type": "tomorrow"}}}), true),
        (json!({"mcpServers": {"s": {"type": "http"}}}), false),
        (
            json!({"agents": {"a": {"description": "d", "prompt": "p", "effort": 3}}}),
            true,
        ),
        (json!({"agents": {"a": {"description": "d"}}}), false),
        (
            json!({"thinking": {"type": "enabled", "budgetTokens": 5}}),
            true,
        ),
        (json!({"outputFormat": {"type": "json_schema"}}), false),
        (json!({"maxTurns": "3"}), false),
        (json!({"env": {"A": 1}}), false),
        (json!([]), false),
    ] {
        assert_eq!(options.is_valid(&value), fits, "{value}");
        let read = serde_json::from_value::<claw_types::QueryOptions>(value.clone());
        assert_eq!(read.is_ok(), fits, "{value}: {read:?}");
    }
}

#[test]
fn hooks_fit() {
    let hooks = validator("hooks.schema.json");
    for line in include_str!("hooks.ndjson").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let input = &line["request"]["input"];
        assert!(hooks.is_valid(input), "{input}");
    }
    assert!(hooks.is_valid(&json!({"async": true, "asyncTimeout": 5})));
    let deny = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny"});
    assert!(hooks.is_valid(&json!({"hookSpecificOutput": deny})));
    let bad = json!({"hook_event_name": "Stop", "continue": "no"});
    assert!(!hooks.is_valid(&bad));
}

/// The name of the definition that a schema refers to.
fn target(schema: &Value) -> &str {
    let target = schema["$ref"].as_str().unwrap();
    target.strip_prefix("#/$defs/").unwrap()
}

/// Whether a definition, or each member of it, has that key.
fn requires(definitions: &serde_json::Map<String, Value>, schema: &Value, key: &Value) -> bool {
    let definition = &definitions[target(schema)];
    match definition["oneOf"].as_array() {
        Some(members) => members.iter().all(|m| requires(definitions, m, key)),
        None => definition["required"].as_array().unwrap().contains(key),
    }
}

#[test]
fn unions_for_code_generation_are_bare_references() {
    let bundle = schema("codegen/claw.schema.json");
    let definitions = bundle["$defs"].as_object().unwrap();
    let mut unions = 0;
    for (name, definition) in definitions {
        let Some(members) = definition.get("oneOf") else {
            continue;
        };
        if is_enumeration(definition) {
            continue;
        }
        unions += 1;
        for (at, member) in members.as_array().unwrap().iter().enumerate() {
            let keys: Vec<_> = member.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["$ref"], "{name}");
            // Each member carries a key of its own, or else its own tag: required and of one value.
            if let Some(keys) = definition.get("x-told-by") {
                assert!(requires(definitions, member, &keys[at]), "{name}: {at}");
                continue;
            }
            let target = &definitions[target(member)];
            let tag = target["properties"]
                .as_object()
                .unwrap()
                .iter()
                .find(|(key, property)| {
                    property["enum"].as_array().is_some_and(|e| e.len() == 1)
                        && target["required"].as_array().unwrap().contains(&json!(key))
                });
            assert!(tag.is_some(), "{member} has no tag");
        }
    }
    assert!(unions >= 8, "{unions}");
}

/// Whether a choice is one of texts: the known values, or these and any other.
fn is_enumeration(definition: &Value) -> bool {
    let members = definition["oneOf"].as_array();
    members.is_some_and(|members| members.iter().any(|member| member["type"] == "string"))
}

/// The values that open files list under a keyword of claw's own are constants in the bundle, described and
/// still open.
#[test]
fn known_values_are_constants_for_code_generation() {
    let bundle = schema("codegen/claw.schema.json");
    let definitions = bundle["$defs"].as_object().unwrap();
    let mut checked = 0;
    for (path, file) in files() {
        for (name, open) in file["$defs"].as_object().into_iter().flatten() {
            let Some(values) = open["x-known-values"].as_array() else {
                continue;
            };
            // Tags are closed; what stands in older forms alone is not in the bundle.
            let Some(definition) = definitions.get(name).filter(|d| d.get("enum").is_none()) else {
                continue;
            };
            checked += 1;
            let known = format!("{name}Known");
            assert_eq!(
                definition["oneOf"][0]["$ref"],
                format!("#/$defs/{known}"),
                "{path}: {name}"
            );
            let other = &definition["oneOf"][1];
            assert_eq!(other["title"], format!("{name}Other"), "{path}: {name}");
            let members = definitions[&known]["oneOf"].as_array().unwrap();
            assert_eq!(members.len(), values.len(), "{path}: {name}");
            for (member, value) in members.iter().zip(values) {
                assert_eq!(&member["const"], value, "{path}: {name}");
                let described = &open["x-value-descriptions"][value.as_str().unwrap()];
                assert_eq!(&member["description"], described, "{path}: {name}");
            }
        }
    }
    assert!(checked > 100, "{checked}");
    let takes = |name: &str, value: &str| {
        let mut schema = bundle.clone();
        schema["$ref"] = format!("#/$defs/{name}").into();
        schema["type"] = "string".into();
        jsonschema::is_valid(&schema, &value.into())
    };
    assert!(takes("PermissionMode", "plan"));
    assert!(takes("PermissionMode", "of_tomorrow"));
    assert!(takes("PermissionModeKnown", "plan"));
    assert!(!takes("PermissionModeKnown", "of_tomorrow"));
}

/// In the closed form any two members of a union have a key that says which it is, so that a
/// compiler can tell them apart.
#[test]
fn members_of_a_union_are_told_apart() {
    let bundle = schema("codegen/claw.schema.json");
    let definitions = bundle["$defs"].as_object().unwrap();
    // The values of each key that has but a few.
    let values = |name: &Value| -> BTreeMap<String, Vec<Value>> {
        let name = name["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let properties = definitions[name]["properties"].as_object().unwrap();
        let values = |property: &Value| {
            let outer = property["allOf"][0]["$ref"].as_str();
            let inner = outer.and_then(|path| definitions.get(path.rsplit('/').next()?));
            inner.unwrap_or(property)["enum"].as_array().cloned()
        };
        let few = properties
            .iter()
            .filter_map(|(key, p)| Some((key.clone(), values(p)?)));
        few.collect()
    };
    for (name, definition) in definitions {
        // Those that have no tag have a key each that no other has.
        if definition.get("x-told-by").is_some() || is_enumeration(definition) {
            continue;
        }
        let members = definition["oneOf"].as_array().into_iter().flatten();
        // Takes every other subtype.
        let members = members.filter(|member| target(member) != "SystemEntry");
        let members: Vec<_> = members.map(|member| (member, values(member))).collect();
        for (at, (one, ones)) in members.iter().enumerate() {
            for (other, others) in &members[at + 1..] {
                let apart = ones.iter().any(|(key, values)| {
                    let theirs = others.get(key);
                    theirs.is_some_and(|theirs| !theirs.iter().any(|v| values.contains(v)))
                });
                assert!(apart, "{name}: {one} and {other}");
            }
        }
    }
}

/// Every definition says what it is and where it stands; every control request, what answers it.
#[test]
fn every_definition_has_its_facts() {
    for (path, schema) in files() {
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            let description = definition["description"].as_str().unwrap_or_default();
            assert!(!description.is_empty(), "{path}: {name} is not described");
            // A control request's is in its description's first words: see schema/facts.rs.
            let ways = definition["x-direction"].as_array();
            let goes = ways.is_some_and(|ways| !ways.is_empty());
            assert!(goes, "{path}: {name} goes nowhere");
            for (key, property) in definition["properties"].as_object().into_iter().flatten() {
                let is_tag = property["enum"].as_array().is_some_and(|e| e.len() == 1);
                let is_described = property["description"]
                    .as_str()
                    .is_some_and(|d| !d.is_empty());
                assert!(
                    is_tag || is_described,
                    "{path}: {name}.{key} is not described"
                );
            }
            if let Some(known) = definition["x-known-values"].as_array() {
                for value in known {
                    let described = &definition["x-value-descriptions"][value.as_str().unwrap()];
                    assert!(
                        described.is_string(),
                        "{path}: {name}: {value} is not described"
                    );
                }
            }
        }
    }
    let bundle = schema("codegen/claw.schema.json");
    let definitions = &bundle["$defs"];
    for member in definitions["ControlRequestBody"]["oneOf"]
        .as_array()
        .unwrap()
    {
        let name = member["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let answer = definitions[name]["x-answer"].as_str();
        let answer = answer.unwrap_or_else(|| panic!("{name} has no response"));
        assert!(definitions.get(answer).is_some(), "{name}: {answer}");
    }
}

/// Every kind of line is listed with its tags: those of either direction, and the older forms.
/// Readers of a schema have no Rust documentation to which a link could lead.
#[test]
fn descriptions_have_no_links() {
    fn check(schema: &Value, path: &str) {
        match schema {
            Value::Object(map) => {
                let description = map.get("description").and_then(Value::as_str);
                for part in ["](", "[`", "crate::", "super::", "Self::"] {
                    let found = description.is_some_and(|text| text.contains(part));
                    assert!(!found, "{path}: {description:?}");
                }
                for (key, value) in map {
                    check(value, &format!("{path}/{key}"));
                }
            }
            Value::Array(items) => {
                for item in items {
                    check(item, path);
                }
            }
            _ => {}
        }
    }
    for (path, schema) in files() {
        check(&schema, path);
    }
}

#[test]
fn meta_lists_every_kind() {
    let meta = schema("meta.json");
    let kinds = meta["kinds"].as_array().unwrap();
    let bundle = schema("codegen/claw.schema.json");
    for (union, way) in [("StdoutMessage", "stdout"), ("StdinMessage", "stdin")] {
        for member in bundle["$defs"][union]["oneOf"].as_array().unwrap() {
            let name = member["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            let listed = kinds
                .iter()
                .find(|k| k["definition"] == name && k["direction"] == way);
            assert!(listed.unwrap_or_else(|| panic!("{way}: {name}"))["type"].is_string());
        }
    }
    let internal = meta["internal"].as_array().unwrap();
    assert!(internal.contains(&json!("TaskSummary")) && internal.contains(&json!("BashCommand")));
    assert!(!internal.contains(&json!("ToolUseSummary")));
    let replay = kinds
        .iter()
        .find(|k| k["definition"] == "UserMessageReplay")
        .unwrap();
    assert_eq!(replay["isReplay"], true);
    let dialect = kinds.iter().filter(|kind| kind["file"] == "dialect");
    assert_eq!(dialect.count(), 19);
}

#[test]
fn the_closed_form_takes_known_kinds_alone() {
    let tree = |name: &str| serde_json::from_str::<Value>(&seed(name)).unwrap();
    let mut stdout = schema("codegen/claw.schema.json");
    stdout["$ref"] = "#/$defs/StdoutMessage".into();
    let stdout = jsonschema::validator_for(&stdout).unwrap();
    for name in [
        "assistant_text",
        "result_success",
        "system_init",
        "event_text_delta",
    ] {
        assert!(stdout.is_valid(&tree(name)), "{name}");
    }
    for name in ["unknown_kind", "unknown_no_tag", "system_unknown"] {
        assert!(!stdout.is_valid(&tree(name)), "{name}");
    }
    assert!(!stdout.is_valid(&json!(7)));
}

#[test]
fn every_file_is_a_schema_with_a_name() {
    let mut ids = std::collections::HashSet::new();
    for (path, schema) in files() {
        if path == "meta.json" {
            assert!(schema["kinds"].as_array().unwrap().len() > 8);
            continue;
        }
        assert!(jsonschema::meta::is_valid(&schema), "{path}");
        assert!(
            ids.insert(schema["$id"].as_str().unwrap().to_owned()),
            "{path}"
        );
    }
}
