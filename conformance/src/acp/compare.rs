//! Finds the differences between two views.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The members that identify an item of a list.
const NAMES: [&str; 5] = ["id", "value", "optionId", "toolCallId", "name"];
/// The maximum number of characters of a value in a difference.
const LETTERS: usize = 160;

/// The differences, by place.
pub(super) type Differences = BTreeMap<String, String>;

/// Compares the views of claw and the npm agent.
pub(super) fn differences(claw: &Value, npm: &Value) -> Differences {
    let mut found = Differences::new();
    compare("", claw, npm, &mut found);
    found
}

fn compare(place: &str, claw: &Value, npm: &Value, found: &mut Differences) {
    if claw == npm {
        return;
    }
    let (Some(ours), Some(theirs)) = (members(place, claw), members(place, npm)) else {
        let what = format!("claw {}, npm {}", short(claw), short(npm));
        found.insert(place.to_owned(), what);
        return;
    };
    for name in ours.keys().chain(theirs.keys()) {
        let within = if place.is_empty() {
            name.clone()
        } else {
            format!("{place}.{name}")
        };
        let of = |side: &Map<String, Value>| side.get(name).cloned().unwrap_or_default();
        compare(&within, &of(&ours), &of(&theirs), found);
    }
}

/// Returns the members of an object, or of a list, whose items have names or positions. Returns `None` for any other
/// value, and for lists that are compared as a whole.
fn members(place: &str, value: &Value) -> Option<Map<String, Value>> {
    if ["order", "statuses"]
        .iter()
        .any(|whole| place.ends_with(whole))
    {
        return None;
    }
    match value {
        Value::Object(members) => Some(members.clone()),
        Value::Array(items) => {
            let named = NAMES.iter().find_map(|name| {
                let items = items.iter();
                let named = items.map(|item| Some((item[name].as_str()?.to_owned(), item.clone())));
                let named: Option<Map<_, _>> = named.collect();
                named.filter(|named| named.len() == value.as_array().map_or(0, Vec::len))
            });
            let places = items.iter().enumerate();
            let places = || {
                places
                    .map(|(at, item)| (at.to_string(), item.clone()))
                    .collect()
            };
            Some(
                named
                    .filter(|named| !named.is_empty())
                    .unwrap_or_else(places),
            )
        }
        _ => None,
    }
}

/// Returns a shortened value.
fn short(value: &Value) -> String {
    if value.is_null() {
        return "nothing".to_owned();
    }
    let text = value.to_string();
    if text.chars().count() <= LETTERS {
        return text;
    }
    let start: String = text.chars().take(LETTERS).collect();
    format!("{start}…")
}
