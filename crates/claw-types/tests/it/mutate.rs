//! The same message written otherwise, and messages with more in them than claw knows.

use std::fmt::Write as _;

use claw_types::{StdoutMessage, from_line};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{read, stdout, valid_seeds};

/// A short sequence of choices that a failing case can be repeated from.
struct Choices(u64);

impl Choices {
    /// One of `n`.
    fn of(&mut self, n: usize) -> usize {
        // Knuth's linear congruential generator; the high bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Writes a value with its keys in any order, white space anywhere and characters escaped.
fn rewrite(value: &Value, choices: &mut Choices, out: &mut String) {
    space(choices, out);
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            for i in (1..pairs.len()).rev() {
                pairs.swap(i, choices.of(i + 1));
            }
            out.push('{');
            for (i, (key, value)) in pairs.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                space(choices, out);
                text(key, choices, out);
                space(choices, out);
                out.push(':');
                rewrite(value, choices, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                rewrite(item, choices, out);
            }
            out.push(']');
        }
        Value::String(string) => text(string, choices, out),
        plain => out.push_str(&plain.to_string()),
    }
    space(choices, out);
}

fn space(choices: &mut Choices, out: &mut String) {
    out.push_str(["", "", "", " ", "\t", "\n", "\r\n  "][choices.of(7)]);
}

fn text(string: &str, choices: &mut Choices, out: &mut String) {
    let escaped = choices.of(string.chars().count().max(1) * 3);
    out.push('"');
    for (i, c) in string.chars().enumerate() {
        if i == escaped {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        } else {
            let quoted = serde_json::to_string(&c).unwrap();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push('"');
}

/// Where the objects are whose keys are the protocol's own, or free. Not those whose keys are data
/// of a type.
pub(crate) fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let data = ["/modelUsage", "/request/hooks", "/request/agents"];
            if !data.iter().any(|map| at.ends_with(map)) {
                found.push(at.to_owned());
            }
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                objects(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{i}"), found);
            }
        }
        _ => {}
    }
}

pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["result", "assistant", "init", "success", "text"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            Just("type".to_owned()),
            Just("subtype".to_owned()),
            ".{0,6}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A seed as a tree. Numbers that no tree holds are those of the tree.
fn tree(which: prop::sample::Index) -> Value {
    let seeds = valid_seeds();
    serde_json::from_str(&which.get(&seeds).line).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_space_and_escapes_do_not_count(which in any::<prop::sample::Index>(), choices in any::<u64>()) {
        let tree = tree(which);
        let mut line = String::new();
        rewrite(&tree, &mut Choices(choices), &mut line);
        let other: StdoutMessage = read(&line);
        prop_assert_eq!(other, read::<StdoutMessage>(&tree.to_string()), "{}", line);
        stdout(&line);
    }

    #[test]
    fn a_field_of_tomorrow_is_kept_anywhere(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        json in any_json(),
        choices in any::<u64>(),
    ) {
        let mut tree = tree(which);
        let before: StdoutMessage = from_line(tree.to_string().as_bytes()).unwrap();
        let mut found = Vec::new();
        objects(&tree, "", &mut found);
        let object = tree.pointer_mut(&found[at.index(found.len())]).unwrap();
        object["of tomorrow"] = json;
        let mut line = String::new();
        rewrite(&tree, &mut Choices(choices), &mut line);
        prop_assert_eq!(stdout(&line).is_unknown(), before.is_unknown(), "{}", line);
    }
}
