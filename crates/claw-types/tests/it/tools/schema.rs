//! The schema of tools says what the types say, and every field of theirs has an example.

use claw_types::tool::BUILT_IN;
use serde_json::{Value, json};

use super::{distinct, reads, written};
use crate::support::keys;

#[test]
fn every_tool_has_an_example_with_every_field() {
    // Of the API's, and tested as such.
    let mut bundle = definitions("codegen/claw.schema.json");
    let mut checked = 0;
    for shared in ["TextBlock", "Usage"] {
        bundle[shared] = json!({});
    }
    let written = written();
    for tool in BUILT_IN {
        let of_it = written.iter().filter(|use_| use_.tool == tool.name);
        if of_it.clone().next().is_none() {
            // Its example stands beside its type.
            continue;
        }
        checked += 1;
        let inputs: Vec<_> = of_it
            .clone()
            .filter_map(|use_| use_.input.clone())
            .collect();
        let outputs: Vec<_> = of_it.filter_map(|use_| use_.output.clone()).collect();
        for (name, examples) in [(tool.input, inputs), (tool.output, outputs)] {
            let schema = &bundle[name];
            assert!(!schema.is_null(), "no definition of {name}");
            assert!(!examples.is_empty(), "no example of {name} in tools.ndjson");
            let mut lacking = Vec::new();
            lack(
                schema,
                &bundle,
                &examples.iter().collect::<Vec<_>>(),
                name,
                &mut lacking,
            );
            assert!(
                lacking.is_empty(),
                "in no example in tools.ndjson: {lacking:?}"
            );
        }
    }
    assert!(checked >= 23, "{checked}");
}

/// The fields of a schema that no example has, with those of what is in them.
fn lack(schema: &Value, bundle: &Value, examples: &[&Value], at: &str, lacking: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return lack(&bundle[name], bundle, examples, name, lacking);
    }
    for union in ["oneOf", "anyOf"] {
        for member in schema[union].as_array().into_iter().flatten() {
            let target = member["$ref"]
                .as_str()
                .and_then(|name| name.rsplit('/').next());
            let target = target.map_or(member, |name| &bundle[name]);
            // Of a union each form wants an example of its own: told by its tag, where it has one.
            let tag = target["properties"].as_object().and_then(|properties| {
                properties
                    .iter()
                    .find_map(|(key, property)| Some((key, property["enum"].as_array()?)))
            });
            let of_it: Vec<_> = examples
                .iter()
                .filter(|example| tag.is_none_or(|(key, values)| values.contains(&example[key])))
                .copied()
                .collect();
            lack(member, bundle, &of_it, at, lacking);
        }
    }
    if let Some(items) = schema.get("items") {
        let inside: Vec<_> = examples
            .iter()
            .filter_map(|e| e.as_array())
            .flatten()
            .collect();
        lack(items, bundle, &inside, at, lacking);
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let inside: Vec<_> = examples
            .iter()
            .filter_map(|example| example.get(key))
            .collect();
        if inside.is_empty() {
            lacking.push(format!("{at}.{key}"));
        } else {
            lack(property, bundle, &inside, &format!("{at}.{key}"), lacking);
        }
    }
}

/// Every key in turn is taken out, and every value replaced; and keys of tomorrow come in.
#[test]
fn the_schema_and_the_types_agree() {
    let validator = jsonschema::validator_for(&schema("tools.schema.json")).unwrap();
    let (mut refused, mut read) = (0, 0);
    for line in distinct() {
        let mut pointers = vec![];
        for half in ["tool_input", "tool_response"] {
            if let Some(value) = line.get(half) {
                keys(value, &format!("/{half}"), &mut pointers);
            }
        }
        assert_eq!(validator.is_valid(&line), reads(&line), "{line}");
        for (object, key) in pointers {
            for new in [
                None,
                Some(json!(null)),
                Some(json!({})),
                Some(json!("x")),
                Some(json!(-1)),
                Some(json!(true)),
                Some(json!([])),
            ] {
                let mut line = line.clone();
                let target = line
                    .pointer_mut(&object)
                    .and_then(Value::as_object_mut)
                    .unwrap();
                match &new {
                    None => drop(target.remove(&key)),
                    Some(new) => drop(target.insert(key.clone(), new.clone())),
                }
                let is_read = reads(&line);
                refused += usize::from(!is_read);
                read += usize::from(is_read);
                assert_eq!(
                    validator.is_valid(&line),
                    is_read,
                    "{object}/{key} as {new:?}: {line}"
                );
            }
        }
    }
    assert!(
        refused > 500 && read > 500,
        "{refused} refused, {read} read"
    );
}

fn definitions(file: &str) -> Value {
    schema(file)["$defs"].clone()
}

fn schema(file: &str) -> Value {
    let found = claw_types::schema::files()
        .into_iter()
        .find(|(path, _)| *path == file);
    found.unwrap().1
}

#[test]
fn the_list_of_tools_is_published() {
    let meta = schema("meta.json");
    let names = meta["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"]);
    assert!(names.eq(BUILT_IN.iter().map(|tool| tool.name)));
}
