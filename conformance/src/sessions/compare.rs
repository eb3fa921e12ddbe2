//! Compares two answers field by field.

use serde_json::Value;

/// A difference between two answers.
pub(super) struct Difference {
    /// The path of the field, such as `[].message`. `[]` stands for any item.
    pub(super) field: String,
    /// Both values, shortened.
    pub(super) values: String,
}

/// Returns all differences between two answers. Null and absent count as equal.
pub(super) fn differences(ours: &Value, theirs: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", ours, theirs, &mut found);
    found
}

fn walk(field: &str, ours: &Value, theirs: &Value, found: &mut Vec<Difference>) {
    match (ours, theirs) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b) {
                walk(&format!("{field}[]"), a, b, found);
            }
        }
        (Value::Array(a), Value::Array(b)) => found.push(Difference {
            field: format!("{field}.length"),
            values: format!(
                "claw has {}: {}, not {}: {}",
                a.len(),
                names(a),
                b.len(),
                names(b)
            ),
        }),
        (Value::Object(a), Value::Object(b)) => {
            let all: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in all {
                let of = |side: &serde_json::Map<String, Value>| {
                    side.get(key).cloned().unwrap_or(Value::Null)
                };
                let (a, b) = (of(a), of(b));
                // Free-form JSON counts as one field.
                if ["message", "origin"].contains(&&**key) {
                    if a != b {
                        found.push(different(&format!("{field}.{key}"), &a, &b));
                    }
                } else {
                    walk(&format!("{field}.{key}"), &a, &b, found);
                }
            }
        }
        _ if ours == theirs => {}
        _ => found.push(different(field, ours, theirs)),
    }
}

fn different(field: &str, ours: &Value, theirs: &Value) -> Difference {
    Difference {
        field: field.to_owned(),
        values: format!("claw has {}, not {}", short(ours), short(theirs)),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

fn names(items: &[Value]) -> String {
    let name = |item: &Value| {
        let name = item.get("uuid").or(item.get("sessionId")).unwrap_or(item);
        name.as_str()
            .unwrap_or("?")
            .chars()
            .take(8)
            .collect::<String>()
    };
    items
        .iter()
        .take(12)
        .map(name)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_named_by_their_way() {
        let ours = json!([{"a": 1, "b": null, "message": {"x": 1}}]);
        let theirs = json!([{"a": 2, "message": {"x": 2}}]);
        let found = differences(&ours, &theirs);
        let fields: Vec<_> = found.iter().map(|found| &*found.field).collect();
        assert_eq!(fields, ["[].a", "[].message"]);
        assert!(differences(&ours, &json!([]))[0].field == ".length");
        assert!(differences(&ours, &ours).is_empty());
    }
}
