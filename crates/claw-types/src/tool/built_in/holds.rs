//! Checks that hold for the input and output types of every tool.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{DecodeError, Json};

pub(super) fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

/// Checks a type by a value `built` that has all fields set and its JSON form `json`: each is turned into the other; an
/// unknown field is kept in each object; and a value of the wrong type is reported by its path. `free` are the paths
/// below which any JSON is accepted.
pub(super) fn holds<T>(built: &T, json: &Value, free: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    assert_eq!(serde_json::to_value(built).unwrap(), *json);
    assert_eq!(read::<T>(json).unwrap(), *built);
    let mut places = Vec::new();
    walk(json, String::new(), String::new(), &mut places);
    for (pointer, path) in places {
        let mut changed = json.clone();
        let place = changed.pointer_mut(&pointer).unwrap();
        if let Some(object) = place.as_object_mut() {
            object.insert("of_tomorrow".to_owned(), json!([null]));
            kept::<T>(&changed);
        }
        let place = changed.pointer_mut(&pointer).unwrap();
        *place = match place {
            Value::Number(_) | Value::Bool(_) => json!("odd"),
            _ => json!(7),
        };
        if free.iter().any(|free| path.starts_with(free)) {
            kept::<T>(&changed);
        } else {
            let error = read::<T>(&changed).unwrap_err();
            assert_eq!(error.path(), path, "{error}: {changed}");
        }
    }
}

/// Checks that `json` is read and written back unchanged.
fn kept<T: Serialize + DeserializeOwned>(json: &Value) {
    let value: T = read(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(serde_json::to_value(&value).unwrap(), *json);
}

fn read<T: DeserializeOwned>(json: &Value) -> Result<T, DecodeError> {
    Ok(Json::from(json.clone()).parse()?)
}

/// Collects every place of a tree: its JSON pointer, and its path as errors write it.
fn walk(value: &Value, pointer: String, path: String, places: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let (pointer, path) = (format!("{pointer}/{at}"), format!("{path}[{at}]"));
                walk(item, pointer, path, places);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                let (pointer, path) = (format!("{pointer}/{key}"), format!("{path}{dot}{key}"));
                walk(value, pointer, path, places);
            }
        }
        _ => {}
    }
    places.push((pointer, path));
}
