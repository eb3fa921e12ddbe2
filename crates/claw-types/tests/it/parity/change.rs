//! A value with one thing changed.

use std::collections::HashSet;

use serde_json::{Value, json};

/// Keys whose texts say what an object is.
const TAGS: [&str; 6] = [
    "type",
    "subtype",
    "hook_event_name",
    "behavior",
    "kind",
    "role",
];

/// Gives every value that `tree` is with one key taken out, or with one thing in the place of another:
/// at each place of a kind that is not in `seen`.
pub(super) fn each(tree: &Value, seen: &mut HashSet<String>, mut give: impl FnMut(&Value)) {
    let mut places = Vec::new();
    walk(tree, "", "", &mut places);
    for (pointer, kind) in places {
        if !seen.insert(kind) {
            continue;
        }
        let mut changed = tree.clone();
        let (parent, last) = pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(parent)) = changed.pointer_mut(parent)
            && parent
                .remove(&last.replace("~1", "/").replace("~0", "~"))
                .is_some()
        {
            give(&changed);
        }
        for new in [
            Value::Null,
            json!(true),
            json!("x"),
            json!(-1),
            json!(2.5),
            json!(1e19),
            json!(3.0),
            json!([]),
            json!([null]),
            json!({}),
            json!({"type": "x"}),
            json!({"type": 7}),
        ] {
            let mut changed = tree.clone();
            if let Some(place) = changed.pointer_mut(&pointer) {
                *place = new;
                give(&changed);
            }
        }
    }
}

/// Every place below a value: its pointer, and what kind of place it is, by the tags on the way and
/// what stands there.
fn walk(value: &Value, pointer: &str, kind: &str, found: &mut Vec<(String, String)>) {
    let shape = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    found.push((pointer.to_owned(), format!("{kind}:{shape}")));
    match value {
        Value::Object(map) => {
            let tags: Vec<_> = TAGS
                .iter()
                .filter_map(|tag| map.get(*tag)?.as_str())
                .collect();
            for (key, value) in map {
                let step = key.replace('~', "~0").replace('/', "~1");
                let kind = format!("{kind}<{}>/{key}", tags.join(" "));
                walk(value, &format!("{pointer}/{step}"), &kind, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(
                    item,
                    &format!("{pointer}/{at}"),
                    &format!("{kind}[]"),
                    found,
                );
            }
        }
        _ => {}
    }
}
