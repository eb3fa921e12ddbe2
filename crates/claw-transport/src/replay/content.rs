//! Converts lines that are sent to the CLI to a form in which they can be compared.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The content of a line, without the IDs that each session generates.
#[derive(Debug)]
pub(super) struct LineContent {
    /// The ID of the request or prompt.
    pub(super) id: Option<String>,
    pub(super) kind: Kind,
    what: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Request {
        /// Whether the request is the session's last line.
        is_end: bool,
    },
    /// The host's response to the CLI's request with this ID.
    Answer(String),
    Prompt,
    Other,
}

impl LineContent {
    pub(super) fn read(line: &[u8]) -> Result<Self, serde_json::Error> {
        let mut what: Map<String, Value> = serde_json::from_slice(line)?;
        let mut id = None;
        let mut take = |what: &mut Map<String, Value>, key| {
            if let Some(Value::String(text)) = what.remove(key) {
                id = Some(text);
            }
        };
        let kind = match what.get("type").and_then(Value::as_str) {
            Some("control_request") => {
                take(&mut what, "request_id");
                let subtype = what["request"]["subtype"].as_str().unwrap_or_default();
                let is_end = subtype == "end_session";
                if subtype == "initialize" {
                    // The request describes how the program is configured, and another program may be configured
                    // differently.
                    what.remove("request");
                    what.insert("initialize".to_owned(), true.into());
                }
                Kind::Request { is_end }
            }
            Some("control_response") => {
                let to = what["response"]["request_id"].as_str();
                Kind::Answer(to.unwrap_or_default().to_owned())
            }
            Some("user") => {
                take(&mut what, "uuid");
                what.remove("session_id");
                Kind::Prompt
            }
            _ => Kind::Other,
        };
        Ok(Self {
            id,
            kind,
            what: what.into(),
        })
    }

    /// Replaces the IDs that are keys of this map by the corresponding values.
    pub(super) fn rename(&mut self, names: &HashMap<String, String>) {
        rename(&mut self.what, names);
    }

    /// Whether the line matches the `recorded` one.
    pub(super) fn is(&self, recorded: &Self) -> bool {
        let whole = matches!(self.kind, Kind::Request { .. });
        self.kind == recorded.kind
            && covers(&self.what, &recorded.what)
            && (!whole || covers(&recorded.what, &self.what))
    }
}

fn rename(value: &mut Value, names: &HashMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename(value, names)),
        _ => {}
    }
}

/// Whether `whole` contains everything that `part` contains. Null is treated as absent.
fn covers(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().all(|(key, part)| {
            part.is_null() || whole.get(key).is_some_and(|whole| covers(whole, part))
        }),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(w, p)| covers(w, p))
        }
        _ => whole == part,
    }
}
