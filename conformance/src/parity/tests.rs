use serde_json::json;

use super::*;

fn side(types: Value) -> Side {
    let Value::Object(types) = types else {
        panic!("types by name")
    };
    Side {
        name: "the package".to_owned(),
        exported: types.keys().cloned().collect(),
        types,
        tools: BTreeSet::new(),
        internal: BTreeSet::new(),
    }
}

/// A package and a claw with the roots and one question each, and more types.
fn sides(theirs: Value, ours: Value) -> (Side, Side) {
    let ask = json!({
        "type": "object",
        "properties": { "subtype": { "enum": ["ask"] } },
        "required": ["subtype"],
    });
    let [mut left, mut right] = [theirs, ours].map(side);
    for root in &ROOTS {
        for (side, names) in [(&mut left, root.left), (&mut right, root.right)] {
            for name in names {
                side.types
                    .insert((*name).to_owned(), json!({ "anyOf": [] }));
            }
        }
    }
    let to = |name| json!({ "anyOf": [{ "$ref": format!("#/$defs/{name}") }] });
    left.types.insert(
        "SDKControlRequestInner".to_owned(),
        to("SDKControlAskRequest"),
    );
    left.types
        .insert("SDKControlAskRequest".to_owned(), ask.clone());
    right
        .types
        .insert("ControlRequestBody".to_owned(), to("Ask"));
    right.types.insert("Ask".to_owned(), ask);
    right.name = "claw".to_owned();
    (left, right)
}

fn differences(theirs: Value, ours: Value) -> Vec<String> {
    let (left, right) = sides(theirs, ours);
    compared(&left, &right, &BTreeSet::new())
        .differences
        .into_iter()
        .collect()
}

#[test]
fn answers_are_found_by_the_names_of_their_questions() {
    let answer =
        |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" } } });
    for name in ["SDKControlAskResponse", "AskResult"] {
        assert_eq!(
            differences(
                json!({ name: answer("a") }),
                json!({ "AskResponse": answer("b") })
            ),
            [
                format!("type {name}.a: not in claw"),
                format!("type {name}.b: not in the package")
            ]
            .map(|line| line.replace(&format!("type {name}"), "response ask"))
        );
        assert_eq!(
            differences(json!({ name: answer("a") }), json!({})),
            ["response ask: not in claw"]
        );
    }
    assert_eq!(
        differences(json!({}), json!({ "AskResponse": answer("b") })),
        [""; 0]
    );
}

#[test]
fn what_is_exported_and_led_to_by_nothing_is_looked_for_by_name() {
    let info = |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" } } });
    assert_eq!(
        differences(
            json!({ "SDKInfo": info("a"), "Lost": info("a"), "Call": { "type": "function" } }),
            json!({ "Info": info("a") })
        ),
        ["type Lost: not in claw"]
    );
}

#[test]
fn what_is_internal_is_in_no_published_type() {
    let message = |kind: &str| json!({ "type": "object", "properties": { "type": { "enum": [kind] } }, "required": ["type"] });
    let (mut left, mut right) = sides(
        json!({ "Declared": message("declared"), "Both": message("both") }),
        json!({ "Declared": message("declared"), "Both": message("both"), "Own": message("own") }),
    );
    let all = |names: &[&str]| {
        let members = names
            .iter()
            .map(|name| json!({ "$ref": format!("#/$defs/{name}") }));
        json!({ "anyOf": members.collect::<Vec<_>>() })
    };
    let root = "StdoutMessage".to_owned();
    left.types.insert(root.clone(), all(&["Declared", "Both"]));
    right.types.insert(root, all(&["Declared", "Both", "Own"]));
    let found = |internal: &[&str]| {
        let mut right = right.clone();
        right.internal = internal.iter().map(|name| (*name).to_owned()).collect();
        Vec::from_iter(compared(&left, &right, &BTreeSet::new()).differences)
    };
    assert_eq!(found(&[]), ["message own: not in the package"]);
    assert!(found(&["Own"]).is_empty());
    assert_eq!(
        found(&["Own", "Declared"]),
        ["message declared: internal in claw"]
    );
}

#[test]
fn the_tables_name_types_that_claw_has() -> Result {
    let claw = claw()?;
    let roots = ROOTS.iter().flat_map(|root| root.right).copied();
    let answers = RESPONSES.iter().map(|(.., ours)| *ours);
    for name in roots
        .chain(answers)
        .chain(TYPES.iter().map(|(_, ours)| *ours))
    {
        assert!(claw.types.contains_key(name), "{name}");
    }
    Ok(())
}

#[test]
fn the_total_is_that_of_its_rows() {
    let (left, right) = sides(json!({ "Lost": { "enum": ["a", "b"] } }), json!({}));
    let text = totals(&compared(&left, &right, &BTreeSet::new()));
    let rows: Vec<Vec<_>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[1][..4], ["request", "1", "/", "1"]);
    assert_eq!(rows[2][11..], ["0", "/", "2", "(0.0", "%)", "0"]);
    assert_eq!(rows[3][0], "all");
    assert_eq!(rows[4], ["1", "differences"]);
}

#[test]
fn two_versions_are_compared_by_the_names_of_their_types_too() {
    let info = |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" } } });
    let both = json!({ "anyOf": [{ "$ref": "#/$defs/B" }, { "$ref": "#/$defs/A" }] });
    let (mut new, _) = sides(
        json!({ "A": info("a"), "B": info("b"), "Both": both, "New": info("a") }),
        json!({}),
    );
    let (mut old, _) = sides(
        json!({ "A": info("a"), "B": info("c"), "Both": both, "Old": info("a") }),
        json!({}),
    );
    new.name = "new".to_owned();
    old.name = "old".to_owned();
    let differences = between(&new, &old).differences;
    assert_eq!(
        Vec::from_iter(differences),
        [
            "type B.b: not in old",
            "type B.c: not in new",
            "type New: not in old",
            "type Old: not in new"
        ]
    );
}
