//! The examples of the documents, from `fixtures/dialect` of claw-types.
//!
//! A folder a document. Its manifest lists the examples, says which part of the protocol each is,
//! and has the table of what stands in the place of an elision.

use std::fs;
use std::path::{Path, PathBuf};

use claw_types::Json;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// The title.
    document: String,
    made: String,
    how: String,
    examples: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    part: String,
    from: String,
    #[serde(default)]
    elisions: Vec<Elision>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Elision {
    shown: String,
    filled: String,
}

/// An example, its elisions filled.
pub(crate) struct Example {
    pub(crate) document: String,
    pub(crate) name: String,
    /// `line`, or the part of a line that it is.
    pub(crate) part: String,
    /// Whether the document has it as JSON; otherwise it is made of the fields that it lists.
    pub(crate) is_shown: bool,
    text: String,
}

impl Example {
    /// Its JSON values, each on one line. Some examples are several lines of a session.
    pub(crate) fn values(&self) -> Vec<String> {
        let values = serde_json::Deserializer::from_str(&self.text).into_iter::<Json>();
        let values: Vec<_> = values
            .map(|json| {
                json.unwrap_or_else(|error| panic!("{}: {error}\n{}", self.name, self.text))
            })
            .map(|json| json.as_raw().to_owned())
            .collect();
        assert!(!values.is_empty(), "{}", self.name);
        values
    }

    /// Its one value.
    pub(crate) fn value(&self) -> String {
        let mut values = self.values();
        assert_eq!(values.len(), 1, "{}", self.name);
        values.remove(0)
    }
}

/// The example of that name.
pub(crate) fn example(document: &str, name: &str) -> Example {
    all()
        .into_iter()
        .find(|example| example.document == document && example.name == name)
        .unwrap_or_else(|| panic!("no example {name} of {document}"))
}

/// All examples of all documents.
pub(crate) fn all() -> Vec<Example> {
    // The tests of claw-cli read them as well.
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("claw-types");
    let folder = package.join("fixtures/dialect");
    let mut all = Vec::new();
    for folder in entries(&folder) {
        let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Manifest = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest.made, "written");
        assert!(!manifest.how.is_empty());
        // Nothing lies there that is not listed.
        assert_eq!(
            entries(&folder).len(),
            manifest.examples.len() + 1,
            "{}",
            manifest.document
        );
        for entry in manifest.examples {
            let mut text = fs::read_to_string(folder.join(format!("{}.txt", entry.name))).unwrap();
            for Elision { shown, filled } in &entry.elisions {
                assert!(text.contains(shown), "{}: {shown}", entry.name);
                text = text.replace(shown, filled);
            }
            all.push(Example {
                document: manifest.document.clone(),
                name: entry.name,
                part: entry.part,
                is_shown: entry.from == "an example",
                text,
            });
        }
    }
    all
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}
