//! A line for the CLI, as it is compared.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// What a line says, without the ids that are made up anew each time.
#[derive(Debug)]
pub(super) struct Said {
    /// The id that it gave itself: of a request, or of a prompt.
    pub(super) id: Option<String>,
    pub(super) kind: Kind,
    what: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Request {
        /// The session's last one.
        is_end: bool,
    },
    /// To the question of this id, which is the CLI's own.
    Answer(String),
    Prompt,
    Other,
}

impl Said {
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
                    // What it says is how the program is set up; it may be another one.
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

    /// Has other ids wherever these are named.
    pub(super) fn rename(&mut self, names: &HashMap<String, String>) {
        rename(&mut self.what, names);
    }

    /// Whether it is what was `recorded`.
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

/// Whether all of `part` stands in `whole`; null is as good as nothing.
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
