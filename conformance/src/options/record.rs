//! The output of the recorder, in a form that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use xtask::run::Result;

/// The text that stands for the folder of a role, in options and in records.
pub(super) const FOLDER: &str = "FOLDER";

/// All data that was sent to the CLI, piece by piece: `argv --model`, `initialize hooks`, `env
/// DEBUG`, `prompt message`, `cwd`, `refused`.
///
/// A value that can be sent in one of several ways (such as `settings`) is two pieces: its
/// contents, and the way.
#[derive(Debug, PartialEq)]
pub(super) struct Record(BTreeMap<String, Value>);

/// A piece that only one side sends, or that differs between the two.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    pub(super) key: String,
    there: Option<Value>,
    here: Option<Value>,
}

/// The result of a case.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// Whether both sides refused the options.
    pub(super) refused: bool,
    pub(super) differences: Vec<Difference>,
}

/// The output of the recorder.
#[derive(Deserialize)]
struct Raw {
    refused: Option<String>,
    #[serde(default)]
    argv: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    initialize: Map<String, Value>,
    #[serde(default)]
    prompt: Map<String, Value>,
}

/// A function that parses the value of a flag.
type Reader = fn(&str) -> Value;

/// Values that are sent over stdin or in a flag: the field, the flag, and the function that parses
/// the flag.
const WAYS: [(&str, &str, Reader); 4] = [
    ("settings", "--settings", json_or_text),
    ("managedSettings", "--managed-settings", json_or_text),
    ("mcpServers", "--mcp-config", |text| {
        json_or_text(text)["mcpServers"].take()
    }),
    ("disallowedTools", "--disallowedTools", |text| {
        text.split(',').collect()
    }),
];

fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

impl Record {
    /// Reads the record in a folder, from a program of a host with this environment.
    pub(super) fn read(folder: &Path, host: &BTreeMap<String, String>) -> Result<Self> {
        let text = fs::read_to_string(folder.join("record.json"))?;
        Self::parse(&text.replace(&folder.display().to_string(), FOLDER), host)
    }

    pub(super) fn parse(text: &str, host: &BTreeMap<String, String>) -> Result<Self> {
        let mut raw: Raw = serde_json::from_str(text)?;
        let mut record = Self(BTreeMap::new());
        if let Some(reason) = raw.refused {
            record.0.insert("refused".to_owned(), reason.into());
            return Ok(record);
        }
        record.words(&raw.argv);
        for (field, ..) in WAYS {
            if let Some(value) = raw.initialize.remove(field) {
                record.carried(field, value, "initialize");
            }
        }
        if let Some(plugins) = raw.initialize.remove("plugins") {
            record.carried("plugins", plugins, "initialize");
        }
        raw.initialize.remove("subtype");
        for (name, value) in raw.initialize {
            record.0.insert(format!("initialize {name}"), value);
        }
        if let Some(uuid) = raw.prompt.get_mut("uuid") {
            *uuid = "UUID".into();
        }
        for (name, value) in raw.prompt {
            record.0.insert(format!("prompt {name}"), value);
        }
        record.0.insert("cwd".to_owned(), raw.cwd.into());
        for name in host.keys().filter(|name| !raw.env.contains_key(*name)) {
            record.0.insert(format!("env {name}"), Value::Null);
        }
        for (name, mut value) in raw.env {
            if name == "CLAW_SESSION" {
                // This value differs in each run.
                "ID".clone_into(&mut value);
            }
            if host.get(&name) != Some(&value) {
                record.0.insert(format!("env {name}"), value.into());
            }
        }
        Ok(record)
    }

    fn words(&mut self, words: &[String]) {
        let mut plugins = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let (flag, value) = if let Some((flag, value)) = word.split_once('=') {
                (flag, Some((value, "=")))
            } else {
                let next = words.next_if(|next| !next.starts_with("--"));
                (&**word, next.map(|value| (&**value, " ")))
            };
            let way = WAYS.iter().find(|(_, named, _)| *named == flag);
            match (way, value) {
                (Some((field, _, read)), Some((value, form))) => match value.strip_prefix("FILE") {
                    Some(value) => self.carried(field, read(value), "a file"),
                    None => self.carried(field, read(value), &format!("{flag}{form}")),
                },
                (_, Some((path, _))) if flag == "--plugin-dir" => {
                    plugins.push(json!({"type": "local", "path": path}));
                }
                (_, Some((path, _))) if flag == "--plugin-dir-no-mcp" => {
                    plugins.push(json!({"type": "local", "path": path, "skipMcpDiscovery": true}));
                }
                (_, value) => {
                    let value = value.map(|(value, form)| format!("{form}{value}"));
                    let all = self
                        .0
                        .entry(format!("argv {flag}"))
                        .or_insert_with(|| json!([]));
                    if let Value::Array(all) = all {
                        all.push(value.unwrap_or_default().into());
                    }
                }
            }
        }
        if !plugins.is_empty() {
            self.carried("plugins", plugins.into(), "--plugin-dir=");
        }
    }

    fn carried(&mut self, what: &str, value: Value, way: &str) {
        self.0.insert(what.to_owned(), value);
        self.0.insert(format!("way of {what}"), way.into());
    }
}

/// Returns the differences between two records. If a side refused the options, only that counts,
/// because each side words its refusal differently.
pub(super) fn compare(there: &Record, here: &Record) -> Found {
    const REFUSED: &str = "refused";
    let keys = match (there.0.contains_key(REFUSED), here.0.contains_key(REFUSED)) {
        (true, true) => BTreeSet::new(),
        (false, false) => there
            .0
            .keys()
            .chain(here.0.keys())
            .map(String::as_str)
            .collect(),
        _ => BTreeSet::from([REFUSED]),
    };
    let mut found = Found {
        refused: keys.is_empty(),
        ..Found::default()
    };
    for key in keys {
        let (there, here) = (there.0.get(key), here.0.get(key));
        if there != here {
            let kind = match (there, here) {
                (Some(_), None) => "only there",
                (None, Some(_)) => "only here",
                _ => "other",
            };
            found.differences.push(Difference {
                key: format!("{key}: {kind}"),
                there: there.cloned(),
                here: here.cloned(),
            });
        }
    }
    found
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        for (side, value) in [("there", &self.there), ("here", &self.here)] {
            if let Some(value) = value {
                write!(f, "\n        {side}: {value}")?;
            }
        }
        Ok(())
    }
}
