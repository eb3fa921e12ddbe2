//! Looking into free-form JSON says what `serde_json::Value` says.

use claw_types::Json;
use serde_json::Value;

const TEXTS: [&str; 9] = [
    r#"{"a": {"b/c": [10, {"~": "tilde", "": -1}], "0": true}, "a~b": null, "s": "text\u0041"}"#,
    r#"[1, 2.5, "x", [], {}, null, false, 18446744073709551615, -9223372036854775808]"#,
    r#""/etc/passwd""#,
    "7",
    "-7",
    "7.0",
    "true",
    "null",
    "{}",
];

const POINTERS: [&str; 14] = [
    "",
    "/",
    "/a",
    "/a/b~1c",
    "/a/b~1c/0",
    "/a/b~1c/1/~0",
    "/a/b~1c/1/",
    "/a/0",
    "/a~0b",
    "/0",
    "/01",
    "/+1",
    "/8",
    "a",
];

fn json(text: &str) -> Json {
    Json::from_text(text.to_owned()).unwrap()
}

fn same(ours: Option<Json>, theirs: Option<&Value>) -> bool {
    ours.map(|json| json.to_value().unwrap()).as_ref() == theirs
}

#[test]
fn a_key_a_place_and_a_pointer_find_what_a_value_finds() {
    for text in TEXTS {
        let (json, value): (_, Value) = (json(text), serde_json::from_str(text).unwrap());
        for key in ["a", "s", "a~b", "", "missing", "0"] {
            assert!(same(json.get(key), value.get(key)), "{key} of {text}");
            assert!(
                same(json.get(key.to_owned()), value.get(key)),
                "{key} of {text}"
            );
        }
        for place in [0, 1, 3, 8, 9, usize::MAX] {
            assert!(same(json.get(place), value.get(place)), "{place} of {text}");
        }
        for pointer in POINTERS {
            assert!(
                same(json.pointer(pointer), value.pointer(pointer)),
                "{pointer} of {text}"
            );
        }
    }
}

#[test]
fn the_leaves_say_what_a_value_says() {
    let all = json(TEXTS[1]);
    let items = (0..).map_while(|place| all.get(place));
    for json in items.chain(TEXTS.map(json)) {
        let value = json.to_value().unwrap();
        assert_eq!(json.as_str().as_deref(), value.as_str(), "{value}");
        assert_eq!(json.as_bool(), value.as_bool(), "{value}");
        assert_eq!(json.as_u64(), value.as_u64(), "{value}");
        assert_eq!(json.as_i64(), value.as_i64(), "{value}");
        assert_eq!(json.as_f64(), value.as_f64(), "{value}");
        assert_eq!(json.is_null(), value.is_null(), "{value}");
        assert_eq!(json.is_array(), value.is_array(), "{value}");
        assert_eq!(json.is_object(), value.is_object(), "{value}");
    }
}

#[test]
fn half_a_surrogate_pair_hides_nothing_from_a_pointer() {
    let json = json(r#"{"\ud800": 1, "edits": ["\udfff", {"path": "/etc/passwd"}]}"#);
    let path = json.pointer("/edits/1/path").unwrap();
    assert_eq!(path.as_str().as_deref(), Some("/etc/passwd"));
}
