//! What lies in `schemas/` is what the types say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn json_files(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            json_files(&entry.path(), &format!("{name}/"), found);
        } else if Path::new(&name).extension().is_some_and(|e| e == "json") {
            found.insert(name);
        }
    }
}

#[test]
fn no_file_has_drifted() {
    let files = claw_types::schema::files();
    let mut found = BTreeSet::new();
    json_files(&folder(), "", &mut found);
    let made: BTreeSet<_> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(
        found, made,
        "the files in schemas/; run `cargo xtask schema write`"
    );
    for (path, schema) in files {
        let lies = std::fs::read_to_string(folder().join(path)).unwrap();
        let lies: serde_json::Value = serde_json::from_str(&lies).unwrap();
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            assert_eq!(
                &lies["$defs"][name], definition,
                "{path} has drifted at {name}; run `cargo xtask schema write`"
            );
        }
        assert_eq!(
            lies, schema,
            "{path} has drifted; run `cargo xtask schema write`"
        );
    }
}
