//! The examples of the documents that claw was started from, as `claw show --json` and `claw check` print
//! them.
//!
//! The expected output is in `tests/expected`, one folder for each document. After an intended change,
//! `CLAW_WRITE_EXPECTED=1 cargo test -p claw-cli --test it documents::` writes it again; review the diff.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::claw::{claw, ran, text};

#[expect(dead_code, reason = "the tests of claw-types ask it for more")]
#[path = "../../../claw-types/tests/it/dialect/documents.rs"]
mod examples;

use examples::{Example, all};

/// The example as lines. What is only a part of one stands in the shortest line that can hold it.
fn lines(example: &Example) -> Vec<String> {
    let line = |part: String| match &*example.part {
        "line" => part,
        "block" if part.contains("\"tool_result\"") => format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{part}]}},"session_id":"s"}}"#
        ),
        "block" => format!(
            r#"{{"type":"assistant","message":{{"role":"assistant","content":[{part}]}},"session_id":"s"}}"#
        ),
        "usage" => format!(
            r#"{{"type":"result","subtype":"success","result":"Done.","session_id":"s","usage":{part}}}"#
        ),
        "tool" => format!(
            r#"{{"type":"system","subtype":"init","session_id":"s","tools":[{part}],"mcp_servers":[]}}"#
        ),
        "mcp_server" => format!(
            r#"{{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[{part}]}}"#
        ),
        "system_prompt" => format!(r#"{{"systemPrompt":{part}}}"#),
        other => panic!("{}: what is a {other}?", example.name),
    };
    // A document shows them over several lines.
    let one_line = |part: String| sorted(serde_json::from_str(&part).unwrap()).to_string();
    example
        .values()
        .into_iter()
        .map(one_line)
        .map(line)
        .collect()
}

/// The value with its keys in alphabetical order: whether JSON keeps another order depends on the features of the build.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.into_iter().collect();
            let fields = fields.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(fields.collect())
        }
        Value::Array(values) => values.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// What `claw` prints of these lines, command by command.
fn printed(example: &Example, folder: &Path) -> String {
    let file = folder.join("example.ndjson");
    fs::write(&file, lines(example).join("\n") + "\n").unwrap();
    let commands: &[&[&str]] = match &*example.part {
        // Options are on no line of a session.
        "system_prompt" => &[&["schema", "options", "--check"]],
        _ => &[&["show", "--json"], &["check"]],
    };
    let mut printed = String::new();
    for command in commands {
        let words = [*command, &[text(&file)]].concat();
        let ran = ran(claw(&words).output().unwrap());
        let out = (ran.stdout + &ran.stderr).replace(text(&file), "FILE");
        let code = ran.code.unwrap();
        write!(
            printed,
            "$ claw {} FILE\n{out}[{code}]\n",
            command.join(" ")
        )
        .unwrap();
    }
    printed
}

fn expected(example: &Example) -> PathBuf {
    let document = example.document.to_lowercase().replace(", ", " ");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let document = document.replace(' ', "_");
    folder.join(document).join(format!("{}.txt", example.name))
}

#[test]
fn every_example_is_shown_and_checked_as_expected() {
    let folder = tempfile::tempdir().unwrap();
    let writes = std::env::var_os("CLAW_WRITE_EXPECTED").is_some();
    let (mut files, mut wrong) = (BTreeSet::new(), String::new());
    for example in all() {
        let (file, printed) = (expected(&example), printed(&example, folder.path()));
        if writes {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &printed).unwrap();
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        if kept != printed {
            let file = file.display();
            write!(wrong, "{file} has\n{kept}and it is\n{printed}\n").unwrap();
        }
        files.insert(file);
    }
    assert!(wrong.is_empty(), "{wrong}");
    // Nothing is left of an example that is gone.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    let kept: BTreeSet<_> = entries(&root)
        .iter()
        .flat_map(|folder| entries(folder))
        .collect();
    assert_eq!(kept, files);
}
