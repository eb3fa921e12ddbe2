//! A message of each kind, built as another crate would: what is required of each, and what is said
//! where it is missing or wrong.

mod classic;
mod internal;
mod later;

use std::fmt::Debug;

use claw_types::{DecodeErrorKind, FromLine, Message, StdoutMessage, from_line};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::classic::built as classic;
use crate::support::message;

/// A message of every kind.
pub(crate) fn all() -> Vec<(&'static str, Message)> {
    let mut all = classic();
    all.extend(later::built());
    all.extend(internal::built());
    all
}

/// What a value must be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Is {
    Text,
    /// Text, or null.
    TextOrNull,
    Number,
    /// A number, or null.
    NumberOrNull,
    Count,
    Bool,
    Object,
    /// An object, or null.
    ObjectOrNull,
    List,
    /// Text, or a list.
    Content,
    Any,
}

impl Is {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Number => value.is_number(),
            Self::NumberOrNull => value.is_number() || value.is_null(),
            Self::Count => value.is_u64(),
            Self::Bool => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::ObjectOrNull => value.is_object() || value.is_null(),
            Self::List => value.is_array(),
            Self::Content => value.is_string() || value.is_array(),
            Self::Any => true,
        }
    }
}

const WRONG: [fn() -> Value; 7] = [
    || Value::Null,
    || json!(false),
    || json!(-7.5),
    || json!("x"),
    || json!([]),
    || json!({}),
    || json!(7),
];

const NAMES: [(&str, Is); 2] = [("uuid", Is::Text), ("session_id", Is::Text)];

/// What is required of each kind, besides its tags. By hand: what the CLI always sends.
fn required(kind: &str) -> Vec<(&'static str, Is)> {
    let own = classic::required(kind)
        .or_else(|| later::required(kind))
        .or_else(|| internal::required(kind));
    own.unwrap_or_else(|| panic!("nobody says what is required of {kind}"))
}

/// Tags are what makes a line one of its kind: without them it is none, and no error.
fn is_outer_tag(path: &str) -> bool {
    matches!(path, "type" | "subtype" | "isReplay")
}

/// The object that holds the last step of a path, and that step.
fn holder<'a, 'p>(line: &'a mut Value, path: &'p str) -> (&'a mut Value, &'p str, &'p str) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut pointer = String::new();
    for step in parent
        .split(['.', '[', ']'])
        .filter(|step| !step.is_empty())
    {
        pointer.push('/');
        pointer.push_str(step);
    }
    (line.pointer_mut(&pointer).unwrap(), parent, key)
}

#[test]
fn a_built_message_has_its_own_keys_alone() {
    for (kind, built) in all() {
        let line = serde_json::to_string(&built).unwrap();
        let read = message(&line);
        assert_eq!(read, built, "{kind}");
        assert!(!read.is_unknown(), "{kind}");
        let debug = format!("{read:?}");
        assert!(!debug.contains("extra: {\""), "{kind}: {debug}");
        let is_strict = serde_json::from_str::<Message>(&line);
        assert_eq!(is_strict.unwrap(), built, "{kind}");
    }
}

#[test]
fn what_is_missing_or_wrong_is_named_and_an_internal_kind_is_kept() {
    let (mut made, mut internal) = (0, 0);
    for (kind, built) in all() {
        let line = serde_json::to_value(&built).unwrap();
        for (path, is) in required(kind) {
            if matches!(built, Message::Internal(_)) {
                internal += each_fault(kind, &line, path, is, kept::<Message>);
                internal += each_fault(kind, &line, path, is, kept::<StdoutMessage>);
            } else {
                made += each_fault(kind, &line, path, is, refused::<Message>);
                made += each_fault(kind, &line, path, is, refused::<StdoutMessage>);
            }
        }
    }
    assert!(made > 1_500 && internal > 1_500, "{made}, {internal}");
}

/// What must hold of a line with a fault: its kind, the line, the path of the fault and what is wrong.
type Judge = fn(&str, &Value, &str, &str);

/// Asks about the line without what is required at a path, and with all that does not belong there.
fn each_fault(kind: &str, line: &Value, path: &str, is: Is, judge: Judge) -> usize {
    let mut without = line.clone();
    let (object, parent, key) = holder(&mut without, path);
    let removed = object.as_object_mut().unwrap().remove(key);
    assert!(removed.is_some_and(|old| is.fits(&old)), "{kind}: {path}");
    judge(kind, &without, parent, &format!("missing field `{key}`"));
    let wrong = WRONG.map(|wrong| wrong());
    let wrong: Vec<_> = wrong.iter().filter(|wrong| !is.fits(wrong)).collect();
    for wrong in &wrong {
        let mut line = line.clone();
        let (object, _, key) = holder(&mut line, path);
        object[key] = (*wrong).clone();
        judge(kind, &line, path, "invalid ");
    }
    1 + wrong.len()
}

/// The line does not fit, and the error says where.
fn refused<T: FromLine + Debug>(kind: &str, line: &Value, path: &str, text: &str) {
    let line = line.to_string();
    let error = from_line::<T>(line.as_bytes()).expect_err(&line);
    assert_eq!(error.kind(), DecodeErrorKind::Data, "{kind}: {line}");
    assert_eq!(error.path(), path, "{kind}: {error}: {line}");
    assert!(error.to_string().contains(text), "{kind}: {error}: {line}");
}

/// The line is of no known kind, and is sent on as it came.
fn kept<T: FromLine + Serialize + Debug>(kind: &str, line: &Value, _: &str, _: &str) {
    let line = line.to_string();
    let value = from_line::<T>(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
    let debug = format!("{value:?}");
    assert!(debug.contains("Unknown(Unknown("), "{kind}: {debug}");
    assert_eq!(serde_json::to_string(&value).unwrap(), line, "{kind}");
}

/// The table above and the types say the same: nothing required is left out of it.
#[cfg(feature = "schema")]
#[test]
fn the_table_is_whole() {
    use std::collections::BTreeSet;

    let files = claw_types::schema::files();
    let (_, bundle) = files
        .into_iter()
        .find(|(path, _)| path.starts_with("codegen"))
        .unwrap();
    let lines = bundle["$defs"]["StdoutMessage"]["oneOf"].as_array();
    let mut messages: BTreeSet<_> = lines
        .into_iter()
        .flatten()
        .filter_map(|kind| kind["$ref"].as_str()?.rsplit('/').next())
        .collect();
    messages.retain(|kind| !kind.starts_with("Control") || *kind == "ControlRequestProgress");
    messages.remove("KeepAlive");
    assert_eq!(messages, all().iter().map(|(kind, _)| *kind).collect());
    for (kind, built) in all() {
        let line = serde_json::to_value(&built).unwrap();
        let mut found = BTreeSet::new();
        let schema = &bundle["$defs"][kind];
        required_by(&bundle, schema, &line, "", &mut found);
        let listed: BTreeSet<_> = required(kind)
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect();
        found.retain(|path| !is_outer_tag(path) || listed.contains(path));
        found.retain(|path| path.rsplit('.').next() != Some("type") || !path.contains('.'));
        assert_eq!(found, listed, "{kind}");
    }
}

/// The paths on a line that a schema requires.
#[cfg(feature = "schema")]
fn required_by(
    bundle: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    found: &mut std::collections::BTreeSet<String>,
) {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        return required_by(bundle, &bundle["$defs"][name], value, at, found);
    }
    for member in ["oneOf", "anyOf", "allOf"]
        .iter()
        .filter_map(|key| schema[key].as_array())
        .flatten()
    {
        let name = member["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        let target = name.map_or(member, |name| &bundle["$defs"][name]);
        let fits = match target["type"].as_str() {
            Some("array") => value.is_array(),
            Some("object") if value.is_object() => target["properties"]
                .as_object()
                .unwrap()
                .iter()
                .all(|(key, property)| {
                    property["enum"]
                        .as_array()
                        .is_none_or(|tags| tags.contains(&value[key]))
                }),
            Some(_) => false,
            // A union, whose members are looked at next.
            None => true,
        };
        if fits {
            required_by(bundle, target, value, at, found);
        }
    }
    let inside = |key: &str| {
        if at.is_empty() {
            key.to_owned()
        } else {
            format!("{at}.{key}")
        }
    };
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap();
        if schema["properties"][key]["x-expected"].is_null() {
            found.insert(inside(key));
        }
    }
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let schema = match &schema["properties"][key] {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                };
                required_by(bundle, schema, value, &inside(key), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                required_by(
                    bundle,
                    &schema["items"],
                    item,
                    &format!("{at}[{index}]"),
                    found,
                );
            }
        }
        _ => {}
    }
}

#[test]
fn a_replay_is_told_by_its_one_field() {
    let line = |is_replay: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":"hi"}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"{is_replay}}}"#
        )
    };
    let plain = message(&line(""));
    assert!(matches!(plain, Message::User(_)), "{plain:?}");
    let not = message(&line(r#","isReplay":false"#));
    assert!(matches!(not, Message::User(_)), "{not:?}");
    let replay = message(&line(r#","isReplay":true"#));
    assert!(matches!(replay, Message::UserReplay(_)), "{replay:?}");
    assert_eq!((replay.text(), replay.uuid()), (plain.text(), plain.uuid()));
    // To claude it is what a host would write: a prompt with a field that says nothing.
    let back: claw_types::StdinMessage = from_line(line(r#","isReplay":true"#).as_bytes()).unwrap();
    assert!(matches!(back, claw_types::StdinMessage::User(_)));
    let odd = line(r#","isReplay":1"#);
    let error = from_line::<Message>(odd.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "isReplay");
}
