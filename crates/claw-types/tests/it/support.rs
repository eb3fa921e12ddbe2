//! Lines to read: recorded ones, written ones; and what must hold of each.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use claw_types::{FromLine, Message, StdinMessage, StdoutMessage, from_line, json_equal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A line of a file.
pub(crate) struct Sample {
    /// Where it is, for messages.
    pub(crate) name: String,
    /// Without its line ending.
    pub(crate) line: String,
}

/// All lines of the recordings in `fixtures/`, of one direction.
pub(crate) fn recorded(file: &str) -> Vec<Sample> {
    recorded_where(|name| name == file)
}

/// All lines of the recordings in `fixtures/`, of the files that are meant.
pub(crate) fn recorded_where(is_meant: impl Fn(&str) -> bool) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut samples = Vec::new();
    for path in entries(&folder)
        .iter()
        .flat_map(|scenario| entries(scenario))
    {
        let file = path.file_name().unwrap().display().to_string();
        if !is_meant(&file) {
            continue;
        }
        let scenario = path.parent().and_then(Path::file_name).unwrap().display();
        let text = fs::read_to_string(&path).unwrap();
        samples.extend(text.lines().enumerate().map(|(at, line)| Sample {
            name: format!("{scenario}/{file}:{}", at + 1),
            line: line.to_owned(),
        }));
    }
    assert!(
        !samples.is_empty(),
        "no such files in the folders of {}: `cargo xtask fixtures record` makes them",
        folder.display()
    );
    samples
}

/// The seeds of the fuzz target: every kind of line, and some that are none.
pub(crate) fn seeds() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/from_line");
    let seeds: Vec<_> = entries(&folder)
        .into_iter()
        .map(|path| Sample {
            name: path.file_stem().unwrap().display().to_string(),
            line: fs::read_to_string(&path).unwrap(),
        })
        .collect();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    seeds
}

/// The seed of that name.
pub(crate) fn seed(name: &str) -> String {
    let found = seeds().into_iter().find(|seed| seed.name == name);
    found.unwrap_or_else(|| panic!("no seed {name}")).line
}

/// The seeds that strict JSON takes, and that are a line of the protocol.
pub(crate) fn valid_seeds() -> Vec<Sample> {
    let mut seeds = seeds();
    seeds.retain(|seed| {
        serde_json::from_str::<StdoutMessage>(&seed.line).is_ok()
            && serde_json::from_str::<Value>(&seed.line).is_ok()
    });
    seeds
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    entries.sort();
    entries
}

/// Reads a line from a source of each sort. All give the same.
pub(crate) fn read<T>(line: &str) -> T
where
    T: FromLine + DeserializeOwned + PartialEq + Debug,
{
    let value: T = from_line(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(serde_json::from_str::<T>(line).unwrap(), value, "{line}");
    assert_eq!(
        serde_json::from_slice::<T>(line.as_bytes()).unwrap(),
        value,
        "{line}"
    );
    assert_eq!(
        serde_json::from_reader::<_, T>(line.as_bytes()).unwrap(),
        value,
        "{line}"
    );
    value
}

/// Both judges find the value's JSON equal to the line: this crate's own, and a tree of `serde_json`'s.
pub(crate) fn assert_lossless<T: Serialize>(value: &T, line: &str) {
    let written = serde_json::to_string(value).unwrap();
    assert!(json_equal(&written, line), "\n{written}\nis not\n{line}");
    assert_eq!(
        serde_json::from_str::<Value>(&written).unwrap(),
        serde_json::from_str::<Value>(line).unwrap(),
        "{line}"
    );
    assert!(!written.contains('\n'), "more than a line: {written}");
}

/// Reads a line that must be lossless as a `T`, from every source.
pub(crate) fn lossless<T>(line: &str) -> T
where
    T: FromLine + DeserializeOwned + Serialize + PartialEq + Debug,
{
    let value: T = read(line);
    assert_lossless(&value, line);
    let again: T = read(&serde_json::to_string(&value).unwrap());
    assert_eq!(again, value, "{line}");
    value
}

/// As a message of the conversation.
pub(crate) fn message(line: &str) -> Message {
    lossless(line)
}

/// As a line from `claude`.
pub(crate) fn stdout(line: &str) -> StdoutMessage {
    lossless(line)
}

/// As a line to `claude`.
pub(crate) fn stdin(line: &str) -> StdinMessage {
    lossless(line)
}

/// The keys of all objects, with the pointer to the object.
#[cfg(feature = "schema")]
pub(crate) fn keys(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.push((at.to_owned(), key.clone()));
                let key = key.replace('~', "~0").replace('/', "~1");
                keys(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                keys(item, &format!("{at}/{i}"), found);
            }
        }
        _ => {}
    }
}
