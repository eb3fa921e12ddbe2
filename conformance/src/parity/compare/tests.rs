use serde_json::{Value, json};

use super::*;
use crate::parity::report::Count;

const ROOT: Root = Root {
    kind: "message",
    left: &["Message"],
    right: &["Message"],
};

fn side(name: &str, types: Value) -> Side {
    let Value::Object(types) = types else {
        panic!("types by name")
    };
    Side {
        name: name.to_owned(),
        exported: types.keys().cloned().collect(),
        types,
        tools: BTreeSet::new(),
        internal: BTreeSet::new(),
    }
}

fn to(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn object(fields: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": fields, "required": required })
}

fn tag(value: &str) -> Value {
    json!({ "enum": [value] })
}

/// Compares two sets of types whose root is `Message`.
fn compare(left: Value, right: Value) -> Report {
    let (left, right) = (side("theirs", left), side("ours", right));
    let nothing = BTreeSet::new();
    let mut comparison = Comparison::new(&left, &right, &nothing);
    comparison.root(&ROOT);
    comparison.finish()
}

/// Compares two schemas of the one field `x` of the one message.
fn field(left: Value, right: Value) -> Vec<String> {
    let message = |schema| json!({ "Message": object(&json!({ "x": schema }), &["x"]) });
    let report = compare(message(left), message(right));
    report.differences.into_iter().collect()
}

fn all(counts: &Report) -> Counts {
    let mut counts = counts.counts.values();
    let sum = *counts.next().expect("a kind");
    assert_eq!(counts.next(), None);
    sum
}

#[test]
fn the_same_is_no_difference_however_it_is_written() {
    let text = json!({ "type": "string" });
    assert_eq!(field(text.clone(), text), [""; 0]);
    assert_eq!(
        field(json!({ "type": "number" }), json!({ "type": "integer" })),
        [""; 0]
    );
    assert_eq!(
        field(
            json!({ "anyOf": [tag("a"), tag("b"), { "type": "null" }] }),
            json!({ "anyOf": [known(&["b", "a"]), { "type": "null" }] }),
        ),
        [""; 0]
    );
    assert_eq!(
        field(json!({ "enum": [true] }), json!({ "type": "boolean" })),
        [""; 0]
    );
}

#[test]
fn kinds_and_null_are_compared() {
    assert_eq!(
        field(
            json!({ "type": ["string", "null"] }),
            json!({ "type": ["string", "number"] })
        ),
        [
            "message.x: null in theirs only",
            "message.x: number in ours only"
        ]
    );
}

/// An open enumeration, as the bundle has it.
fn known(values: &[&str]) -> Value {
    let members = values.iter().map(|value| json!({ "const": value }));
    let known = json!({ "oneOf": members.collect::<Vec<_>>() });
    json!({ "oneOf": [known, { "type": "string", "not": { "enum": values } }] })
}

#[test]
fn values_are_compared_both_ways() {
    assert_eq!(
        field(json!({ "enum": ["a", "b"] }), known(&["b", "c"])),
        [
            "message.x: values not in ours: a",
            "message.x: values not in theirs: c"
        ]
    );
    assert_eq!(
        field(json!({ "enum": ["a", "b"] }), json!({ "type": "string" })),
        ["message.x: values not in ours: a, b"]
    );
    // Any text: what is known of it is known to one side.
    assert_eq!(field(json!({ "type": "string" }), known(&["a"])), [""; 0]);
}

#[test]
fn anything_is_a_gap_only_where_the_other_side_says_more() {
    let text = json!({ "type": "array", "items": { "type": "string" } });
    assert_eq!(
        field(text.clone(), json!({})),
        ["message.x: anything in ours"]
    );
    assert_eq!(field(json!({}), text), [""; 0]);
    let free = json!({ "type": "object", "additionalProperties": {} });
    assert_eq!(field(free, json!({})), [""; 0]);
    let typed = object(&json!({ "y": { "type": "string" } }), &[]);
    assert_eq!(
        field(typed, json!({ "type": "object" })),
        ["message.x: anything in ours"]
    );
}

#[test]
fn fields_are_compared_with_whether_they_are_required() {
    let text = json!({ "type": "string" });
    let report = compare(
        json!({ "Message": object(&json!({ "a": text, "b": text, "c": text }), &["a"]) }),
        json!({ "Message": object(&json!({ "b": text, "c": text, "d": text }), &["b"]) }),
    );
    assert_eq!(
        Vec::from_iter(&report.differences),
        [
            "message.a: not in ours",
            "message.b: required in ours only",
            "message.d: not in theirs"
        ]
    );
    assert_eq!(all(&report).fields, Count { covered: 2, all: 3 });
}

#[test]
fn variants_are_matched_by_their_tags_whatever_they_are_called() {
    let system = |subtype, fields: Value| {
        let mut fields = fields;
        fields["type"] = tag("system");
        fields["subtype"] = tag(subtype);
        object(&fields, &["type", "subtype"])
    };
    let text = json!({ "type": "string" });
    let report = compare(
        json!({
            "Message": { "anyOf": [to("SDKInit"), to("SDKStatus"), to("SDKGone")] },
            "SDKInit": system("init", json!({ "cwd": text })),
            "SDKStatus": system("status", json!({})),
            "SDKGone": system("gone", json!({ "a": text, "b": text })),
        }),
        json!({
            "Message": { "oneOf": [to("Status"), to("Extra"), to("Init")] },
            "Init": system("init", json!({})),
            "Status": system("status", json!({})),
            "Extra": system("extra", json!({})),
        }),
    );
    assert_eq!(
        Vec::from_iter(&report.differences),
        [
            "message system/extra: not in theirs",
            "message system/gone: not in ours",
            "message system/init.cwd: not in ours"
        ]
    );
    assert_eq!(all(&report).variants, Count { covered: 2, all: 3 });
    // Of the variant that is not there, every field.
    assert_eq!(all(&report).fields, Count { covered: 4, all: 9 });
}

#[test]
fn several_variants_may_be_one_on_the_other_side() {
    let text = json!({ "type": "string" });
    let one = |kind: &str, extra: &str| {
        object(&json!({ "type": tag(kind), extra: text }), &["type", extra])
    };
    let both = |extras: &[&str]| {
        let mut fields = json!({ "type": { "enum": ["a", "b"] } });
        for extra in extras {
            fields[*extra] = text.clone();
        }
        object(&fields, &["type"])
    };
    let apart = json!({ "Message": { "anyOf": [one("a", "x"), one("b", "y")] } });
    let together = json!({ "Message": both(&["x", "y"]) });
    assert_eq!(
        compare(apart.clone(), together.clone()).differences,
        BTreeSet::new()
    );
    assert_eq!(compare(together, apart).differences, BTreeSet::new());
}

#[test]
fn what_has_no_tag_is_what_is_left() {
    let sync = object(&json!({ "reason": { "type": "string" } }), &[]);
    let other = |tag: Value| object(&json!({ "async": tag }), &["async"]);
    let left = json!({ "Message": { "anyOf": [other(json!({ "enum": [true] })), sync] } });
    // As loose as it may be written.
    let right = json!({ "Message": { "anyOf": [sync, other(json!({ "type": "boolean" }))] } });
    assert_eq!(compare(left.clone(), right).differences, BTreeSet::new());
    let report = compare(left, json!({ "Message": sync }));
    assert_eq!(
        Vec::from_iter(report.differences),
        ["message async: not in ours"]
    );
}

#[test]
fn types_with_a_name_are_reported_under_it_once() {
    let usage = |key: &str| object(&json!({ key: { "type": "number" } }), &[key]);
    let message = |name| {
        let nullable = json!({ "anyOf": [to(name), { "type": "null" }] });
        object(
            &json!({ "a": to(name), "b": nullable, "c": { "type": "array", "items": to(name) } }),
            &[],
        )
    };
    let report = compare(
        json!({ "Message": message("SDKUsage"), "SDKUsage": usage("tokens") }),
        json!({ "Message": message("Usage"), "Usage": usage("cost") }),
    );
    assert_eq!(
        Vec::from_iter(report.differences),
        [
            "type SDKUsage.cost: not in theirs",
            "type SDKUsage.tokens: not in ours"
        ]
    );
}

#[test]
fn what_holds_itself_comes_to_an_end() {
    let types = json!({ "Message": object(&json!({ "next": to("Message"), "list": { "type": "array", "items": to("Message") } }), &[]) });
    assert_eq!(
        compare(types.clone(), types.clone()).differences,
        BTreeSet::new()
    );
    let report = compare(types, json!({ "Message": object(&json!({}), &[]) }));
    assert_eq!(all(&report).fields, Count { covered: 0, all: 2 });
}

#[test]
fn keys_that_are_spelled_out_may_be_those_of_a_map() {
    let number = json!({ "type": "number" });
    let left = object(&json!({ "a": number, "b": { "type": "string" } }), &[]);
    let right = json!({ "type": "object", "additionalProperties": number });
    assert_eq!(
        field(left, right),
        [
            "message.x{}: number in ours only",
            "message.x{}: string in theirs only"
        ]
    );
}

#[test]
fn callbacks_are_no_data() {
    let callback = json!({ "type": "function" });
    let list = json!({ "type": "array", "items": object(&json!({ "call": callback }), &[]) });
    let report = compare(
        json!({ "Message": object(&json!({ "onLine": callback, "hooks": list }), &[]) }),
        json!({ "Message": object(&json!({}), &[]) }),
    );
    assert_eq!(report.differences, BTreeSet::new());
}

#[test]
fn a_root_that_is_gone_is_a_difference() {
    let report = compare(json!({}), json!({ "Message": { "oneOf": [] } }));
    assert_eq!(
        Vec::from_iter(report.differences),
        ["message: no type Message in theirs"]
    );
}

#[test]
fn what_nothing_led_to_is_known() {
    let left = side(
        "theirs",
        json!({
            "Message": object(&json!({ "a": to("Used") }), &[]),
            "Used": object(&json!({}), &[]),
            "Other": object(&json!({}), &[]),
            "Callback": { "type": "function" },
        }),
    );
    let right = side(
        "ours",
        json!({ "Message": object(&json!({ "a": {} }), &[]) }),
    );
    let nothing = BTreeSet::new();
    let mut comparison = Comparison::new(&left, &right, &nothing);
    comparison.root(&ROOT);
    comparison.count_lacking();
    assert_eq!(comparison.unreached(), ["Other"]);
    comparison.pair("type Other", Some("Other"), None);
    assert!(
        comparison
            .finish()
            .differences
            .contains("type Other: not in ours")
    );
}

#[test]
fn what_is_left_out_on_purpose_is_no_gap_with_all_that_is_in_it() {
    let inner = object(&json!({ "deep": { "enum": ["one", "two"] } }), &[]);
    let fields = json!({ "a": { "type": "string" }, "gone": to("Inner") });
    let left = side(
        "theirs",
        json!({ "Message": object(&fields, &[]), "Inner": inner }),
    );
    let ours = object(&json!({ "a": { "type": "string" } }), &[]);
    let right = side("ours", json!({ "Message": ours }));
    let counted = |left_out: &[&str]| {
        let left_out = left_out.iter().map(|line| (*line).to_owned()).collect();
        let mut comparison = Comparison::new(&left, &right, &left_out);
        comparison.root(&ROOT);
        comparison.count_lacking();
        assert!(comparison.unreached().is_empty());
        let report = comparison.finish();
        assert!(report.differences.contains("message.gone: not in ours"));
        let mut sum = Counts::default();
        report.counts.values().for_each(|some| sum = sum.sum(*some));
        (
            sum.fields.covered,
            sum.fields.all,
            sum.values.all,
            sum.left_out,
        )
    };
    assert_eq!(counted(&[]), (1, 3, 2, 0));
    assert_eq!(counted(&["message.gone: not in ours"]), (1, 1, 0, 1));
}
