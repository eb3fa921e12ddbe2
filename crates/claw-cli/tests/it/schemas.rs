//! What lies in `schemas/` is what the types say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::claw::{claw, long_line, ran, text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn json_files(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            json_files(&entry.path(), &format!("{name}/"), found);
        } else if name == "meta.json" || name.ends_with(".schema.json") {
            found.insert(name);
        }
    }
}

#[test]
fn a_schema_is_printed_as_it_lies_there() {
    for (name, path) in [
        ("stdout", "stdout.schema.json"),
        ("codegen", "codegen/claw.schema.json"),
    ] {
        let ran = ran(claw(&["schema", name]).output().unwrap());
        let lies = std::fs::read_to_string(folder().join(path)).unwrap();
        assert_eq!(ran.code, Some(0), "{name}");
        let [printed, lies] = [&ran.stdout, &lies].map(|text| serde_json::from_str(text).unwrap());
        assert!(
            required_in_order(printed) == required_in_order(lies),
            "{name} is not what lies in {path}"
        );
    }
    let wrong = ran(claw(&["schema", "nothing"]).output().unwrap());
    assert_eq!(wrong.code, Some(2));
}

#[test]
fn a_file_of_lines_is_checked() {
    let fixture = folder().join("../fixtures/text/stdout.ndjson");
    let good = ran(claw(&["schema", "stdout", "--check"])
        .arg(&fixture)
        .output()
        .unwrap());
    assert_eq!(
        (good.code, good.stdout.as_str()),
        (Some(0), ""),
        "{}",
        good.stderr
    );
    assert!(
        good.stderr.ends_with("0 of them do not fit stdout\n"),
        "{}",
        good.stderr
    );

    let file = tempfile::NamedTempFile::new().unwrap();
    let lines =
        "{\"type\":\"keep_alive\"}\n\n{\"type\":\"control_request\",\"request_id\":\"1\"}\nx\n";
    std::fs::write(file.path(), lines).unwrap();
    let bad = ran(claw(&["schema", "stdout", "--check"])
        .arg(file.path())
        .output()
        .unwrap());
    let name = file.path().display();
    let said: Vec<_> = bad.stdout.lines().collect();
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    assert_eq!(
        said[0],
        format!("{name}:3: \"request\" is a required property")
    );
    assert!(
        said[1].starts_with(&format!("{name}:4: no JSON: ")),
        "{said:?}"
    );
}

#[test]
fn a_line_that_no_reader_takes_is_a_fault_and_the_next_one_is_checked() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines = b"\xef\xbb\xbf{\"type\":\"keep_alive\"}\r\n\r\n{\"type\":\"\xff\"}\nx\n";
    std::fs::write(file.path(), lines).unwrap();
    let bad = ran(claw(&["schema", "stdout", "--check"])
        .arg(file.path())
        .output()
        .unwrap());
    let name = file.path().display();
    let faults = format!(
        "{name}:3: the line is not UTF-8 (column 10)\n\
         {name}:4: no JSON: expected value at line 1 column 1\n"
    );
    assert_eq!((bad.code, bad.stdout), (Some(1), faults), "{}", bad.stderr);
    assert_eq!(bad.stderr, "3 lines, 2 of them do not fit stdout\n");

    let (_folder, file) = long_line();
    let long = ran(claw(&["schema", "stdout", "--check", text(&file)])
        .output()
        .unwrap());
    let name = file.display();
    let fault = format!("{name}:3: the line is 67108865 bytes long, the limit is 67108864\n");
    assert_eq!((long.code, long.stdout), (Some(1), fault));
    assert_eq!(long.stderr, "3 lines, 1 of them do not fit stdout\n");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["no/such/file", text(folder.path())] {
        let none = ran(claw(&["schema", "stdout", "--check", file])
            .output()
            .unwrap());
        assert_eq!(none.code, Some(3), "{}", none.stderr);
        let start = format!("claw: {file}: ");
        assert!(none.stderr.starts_with(&start), "{}", none.stderr);
        assert_eq!(none.stdout, "");
    }
}

#[test]
fn no_file_has_drifted() {
    let files = claw_view::schema::files();
    let mut found = BTreeSet::new();
    json_files(&folder(), "", &mut found);
    // That of the server is not for lines, and `claw schema` does not know it. claw-server makes it.
    assert!(found.remove("server.schema.json"));
    let made: BTreeSet<_> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(
        found, made,
        "the files in schemas/; run `cargo xtask schema write`"
    );
    for (path, schema) in files {
        let lies = std::fs::read_to_string(folder().join(path)).unwrap();
        let lies: Value = serde_json::from_str(&lies).unwrap();
        let (schema, lies) = (required_in_order(schema), required_in_order(lies));
        if let Some(place) = drift(&schema, &lies) {
            panic!("schemas/{path} has drifted at {place}; run `cargo xtask schema write`");
        }
    }
}

/// The schema with the names of required fields in alphabetical order. Their order has no meaning, and depends on the
/// features of the build, as the order of keys does.
fn required_in_order(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                *value = required_in_order(value.take());
                if let (true, Some(names)) = (key == "required", value.as_array_mut()) {
                    names.sort_by_key(ToString::to_string);
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                *value = required_in_order(value.take());
            }
        }
        _ => {}
    }
    schema
}

/// Where two schemas differ: in a definition first, by its name, and in which of its parts.
fn drift(made: &Value, lies: &Value) -> Option<String> {
    let (Value::Object(made_here), Value::Object(lies_here)) = (made, lies) else {
        return (made != lies).then(String::new);
    };
    let mut keys: Vec<_> = made_here.keys().chain(lies_here.keys()).collect();
    keys.sort_by_key(|key| *key != "$defs");
    keys.into_iter().find_map(|key| {
        let below = match (made_here.get(key), lies_here.get(key)) {
            (Some(made), Some(lies)) => drift(made, lies)?,
            (Some(_), None) => " (it is new)".to_owned(),
            (None, _) => " (it is gone)".to_owned(),
        };
        // `StatusMessage.properties.status`: the definition's name begins it.
        let joint = if below.is_empty() || below.starts_with(' ') {
            ""
        } else {
            "."
        };
        Some(if key == "$defs" {
            below
        } else {
            format!("{key}{joint}{below}")
        })
    })
}

#[test]
fn drift_names_the_definition_and_the_field() {
    let made = json!({"$defs": {"A": {"properties": {"x": {"type": "string"}}}}, "title": "T"});
    for (pointer, new, place) in [
        (
            "/$defs/A/properties/x/type",
            json!("integer"),
            "A.properties.x.type",
        ),
        (
            "/$defs/A/properties",
            json!({}),
            "A.properties.x (it is new)",
        ),
        ("/title", json!("U"), "title"),
    ] {
        let mut lies = made.clone();
        *lies.pointer_mut(pointer).unwrap() = new;
        assert_eq!(drift(&made, &lies).as_deref(), Some(place));
    }
    assert_eq!(drift(&made, &made), None);
    let more = json!({"$defs": {"A": made["$defs"]["A"], "B": {}}, "title": "T"});
    assert_eq!(drift(&made, &more).as_deref(), Some("B (it is gone)"));
}
