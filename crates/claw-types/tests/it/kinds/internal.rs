//! The kinds in no published type. Their table is `fixtures/`: of each kind, the shortest line there
//! holds what is required and no more, and its lines together show what may stand where. So a new
//! kind needs a fixture, and no row here.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::LazyLock;

use claw_types::{Message, StdinMessage, StdoutMessage, from_line};
use serde_json::Value;

use super::{Is, classic, each_fault, is_outer_tag, kept, later};
use crate::support::recorded;

/// The lines of one kind.
struct Kind {
    lines: Vec<Value>,
    required: Vec<(String, Is)>,
}

impl Kind {
    /// The line that holds what is required alone.
    fn shortest(&self) -> &Value {
        let lines = self.lines.iter();
        lines.min_by_key(|line| paths(line).len()).unwrap()
    }

    fn required(&self, name: &str) -> Vec<(String, Is)> {
        let mut required = paths(self.shortest());
        required.retain(|(path, _)| {
            let inner_tag = path.rsplit_once('.').is_some_and(|(_, key)| key == "type");
            !is_outer_tag(path) && !inner_tag
        });
        let free = |path: &str| {
            let top = path.split(['.', '[']).next().unwrap_or_default();
            (is_free_form(name, top), top == path)
        };
        required.retain(|(path, _)| matches!(free(path), (false, _) | (true, true)));
        let is = |path: &str| match free(path) {
            (true, _) => Is::Any,
            _ => self.seen(path),
        };
        required
            .into_iter()
            .map(|(path, _)| (path.clone(), is(&path)))
            .collect()
    }

    /// What stands at a path, by all lines.
    fn seen(&self, path: &str) -> Is {
        let values: Vec<_> = self
            .lines
            .iter()
            .flat_map(paths)
            .filter_map(|(at, value)| (at == path).then_some(value))
            .collect();
        let is_nullable = values.iter().any(|value| value.is_null());
        match (values.iter().find(|value| !value.is_null()), is_nullable) {
            (Some(Value::String(_)), false) => Is::Text,
            (Some(Value::String(_)), true) => Is::TextOrNull,
            (Some(Value::Number(_)), false) => Is::Number,
            (Some(Value::Number(_)), true) => Is::NumberOrNull,
            (Some(Value::Bool(_)), false) => Is::Bool,
            (Some(Value::Array(_)), false) => Is::List,
            (Some(Value::Object(_)), false) => Is::Object,
            (Some(Value::Object(_)), true) => Is::ObjectOrNull,
            other => panic!("{path}: {other:?}: show what else may stand there"),
        }
    }
}

/// The keys of a line, inner ones too, with what stands there.
fn paths(line: &Value) -> Vec<(String, &Value)> {
    fn walk<'v>(value: &'v Value, at: &str, found: &mut Vec<(String, &'v Value)>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    let path = format!("{at}{}{key}", if at.is_empty() { "" } else { "." });
                    found.push((path.clone(), value));
                    walk(value, &path, found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{at}[{index}]"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(line, "", &mut found);
    found
}

/// Whether the schema takes anything for a field.
fn is_free_form(kind: &str, field: &str) -> bool {
    static BUNDLE: LazyLock<Value> = LazyLock::new(|| {
        let file = "../../schemas/codegen/claw.schema.json";
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
        serde_json::from_str(&text.unwrap()).unwrap()
    });
    let schema = &BUNDLE["$defs"][kind]["properties"][field];
    let named = schema["$ref"]
        .as_str()
        .or(schema["allOf"][0]["$ref"].as_str());
    let is_open = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum"]
        .iter()
        .all(|key| schema[key].is_null());
    is_open || named == Some("#/$defs/Json")
}

/// The name of the struct that a union holds.
fn name(value: &impl Debug) -> String {
    let debug = format!("{value:?}");
    let inner = debug.split_once('(').unwrap().1;
    inner.split_once(' ').unwrap().0.to_owned()
}

fn kinds<'a>(lines: impl Iterator<Item = (String, &'a str)>) -> BTreeMap<String, Kind> {
    let mut kinds = BTreeMap::<_, Kind>::new();
    for (name, line) in lines {
        let kind = kinds.entry(name).or_insert(Kind {
            lines: vec![],
            required: vec![],
        });
        kind.lines.push(serde_json::from_str(line).unwrap());
    }
    for (name, kind) in &mut kinds {
        kind.required = kind.required(name);
    }
    kinds
}

/// Every kind that no other table has.
static MESSAGES: LazyLock<BTreeMap<String, Kind>> = LazyLock::new(|| {
    let mut listed = classic::built();
    listed.extend(later::built());
    let listed: HashSet<_> = listed.into_iter().map(|(name, _)| name).collect();
    let samples = recorded("stdout.ndjson");
    kinds(
        samples
            .iter()
            .filter_map(|sample| match from_line(sample.line.as_bytes()) {
                Ok(StdoutMessage::Message(message)) if !message.is_unknown() => {
                    let name = match &message {
                        Message::Internal(message) => name(message),
                        message => name(message),
                    };
                    (!listed.contains(&*name)).then_some((name, &*sample.line))
                }
                _ => None,
            }),
    )
});

pub(super) fn built() -> Vec<(&'static str, Message)> {
    let built = |(name, kind): (&'static String, &Kind)| {
        let line = kind.shortest().to_string();
        (&**name, from_line(line.as_bytes()).unwrap())
    };
    MESSAGES.iter().map(built).collect()
}

pub(super) fn required(kind: &str) -> Option<Vec<(&'static str, Is)>> {
    let required = MESSAGES.get(kind)?.required.iter();
    Some(required.map(|(path, is)| (&**path, *is)).collect())
}

#[test]
fn an_internal_line_to_claude_of_another_form_is_kept() {
    const KINDS: [&str; 3] = ["BashCommand", "QueuedNotification", "SessionNotice"];
    let samples = recorded("stdin.ndjson");
    let lines =
        samples
            .iter()
            .filter_map(|sample| match from_line(sample.line.as_bytes()).ok()? {
                StdinMessage::Internal(line) => Some((name(&line), &*sample.line)),
                _ => None,
            });
    let kinds = kinds(lines);
    assert!(kinds.keys().eq(KINDS));
    for (name, kind) in &kinds {
        for (path, is) in &kind.required {
            each_fault(name, kind.shortest(), path, *is, kept::<StdinMessage>);
        }
    }
}
