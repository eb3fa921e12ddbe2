//! What a store has of a transcript, by the rules of docs/guides/syncing.md.

use std::collections::HashMap;

use serde_json::Value;

/// The lines of a transcript that a store has.
pub(super) struct Stored<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    /// The numbers of the lines that are no JSON object, counted from 1.
    pub(super) broken: Vec<u64>,
    /// The numbers of the lines that have the UUID of a line before, and other contents.
    pub(super) changed: Vec<u64>,
    /// Whether a line is there twice.
    pub(super) has_copies: bool,
}

impl<'a> Stored<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        let mut stored = Stored {
            lines: Vec::new(),
            broken: Vec::new(),
            changed: Vec::new(),
            has_copies: false,
        };
        let mut uuids: HashMap<String, &[u8]> = HashMap::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let Ok(Value::Object(value)) = serde_json::from_slice(line) else {
                stored.broken.push(number);
                continue;
            };
            let kind = value.get("type").and_then(Value::as_str);
            // The store has neither notes of the directory, which is another one on each machine, nor these records.
            if kind.is_some_and(|kind| kind == "relocated" || kind.starts_with("api-request")) {
                continue;
            }
            if let Some(uuid) = value.get("uuid").and_then(Value::as_str) {
                match uuids.get(uuid) {
                    None => drop(uuids.insert(uuid.to_owned(), line)),
                    Some(first) => {
                        stored.has_copies = true;
                        if *first != line {
                            stored.changed.push(number);
                        }
                        continue;
                    }
                }
            }
            stored.lines.push(line);
        }
        stored
    }

    /// The transcript of another machine.
    pub(super) fn text(&self) -> Vec<u8> {
        let lines = self.lines.iter().map(|line| [line, &b"\n"[..]].concat());
        lines.collect::<Vec<_>>().concat()
    }
}
