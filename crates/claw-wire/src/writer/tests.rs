//! The writer gives the bytes that `serde_json` gives, on one line; and a serializer gets what it wrote.

use proptest::prelude::*;
use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Write, Writer};
use crate::{Failed, by_writer};
use crate::{Json, Map};

/// A value of any shape, of the parts that claw's types have.
enum Tree {
    Null(Option<bool>),
    Flag(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Tree>),
    Object(Map<Tree>),
}

impl From<&Value> for Tree {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null(None),
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(n) => match (n.as_u64(), n.as_i64(), n.as_f64()) {
                (Some(n), _, _) => Self::Unsigned(n),
                (_, Some(n), _) => Self::Signed(n),
                (_, _, n) => Self::Float(n.unwrap()),
            },
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.iter().map(|(k, v)| (k, Self::from(v))).collect())
            }
        }
    }
}

impl Write for Tree {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        match self {
            Self::Null(null) => null.write(writer),
            Self::Flag(flag) => flag.write(writer),
            Self::Unsigned(n) => n.write(writer),
            Self::Signed(n) => n.write(writer),
            Self::Float(n) => n.write(writer),
            Self::Text(text) => text.write(writer),
            Self::List(list) => list.write(writer),
            Self::Object(object) => object.write(writer),
        }
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        by_writer(self, serializer)
    }
}

fn line(value: &impl Write) -> String {
    let mut line = Vec::new();
    super::append_line(value, &mut line).unwrap();
    String::from_utf8(line).unwrap()
}

/// What `serde_json` writes, with the separators as escapes.
fn expected(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap();
    text.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[test]
fn numbers_and_words() {
    macro_rules! same {
        ($($value:expr),+ $(,)?) => {$(
            assert_eq!(line(&$value), serde_json::to_string(&$value).unwrap());
        )+};
    }
    same!(
        u64::MAX,
        i64::MIN,
        0_u8,
        1.0_f64,
        1e300_f64,
        -0.0_f64,
        f64::NAN,
        f64::INFINITY,
        true,
        None::<bool>,
        vec![Some(1_u64), None],
        Vec::<String>::new(),
        Map::<bool>::default(),
    );
}

#[test]
fn free_json_is_written_as_it_stands() {
    let text = r#"{ "a" : 1e0, "ü": "\u00fc", "n": 123456789012345678901234567890 }"#;
    let json = Json::from_text(text.to_owned()).unwrap();
    assert_eq!(line(&vec![json.clone()]), format!("[{text}]"));
    assert_eq!(
        serde_json::to_string(&vec![json]).unwrap(),
        format!("[{text}]")
    );
}

#[test]
fn free_json_is_put_on_one_line() {
    let text = "{\n\"a\": \"“\u{2028}\"\r}".to_owned();
    let json = Json::from_text(text).unwrap();
    assert_eq!(line(&vec![json]), "[{ \"a\": \"“\\u2028\" }]");
}

#[cfg(unix)]
#[test]
fn what_has_no_json_form_leaves_nothing_behind() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::PathBuf;

    let path = PathBuf::from(OsStr::from_bytes(b"\xff"));
    let mut out = b"before".to_vec();
    let error = super::append_line(&vec![path], &mut out).unwrap_err();
    assert!(error.to_string().contains("path"), "{error}");
    assert_eq!(out, b"before");
}

/// Other formats see the parts of a value, and not its text.
#[test]
fn a_serializer_gets_the_parts() {
    let value = json!({"a": [{}, [], "", null, {"b\n\u{1}": "\u{8}\\\"é🎉\u{2029}"}], "n": [-1, 1.5, 1e300]});
    let tree = Tree::from(&value);
    assert_eq!(serde_json::to_value(&tree).unwrap(), value);
    assert_eq!(
        serde_json::to_string_pretty(&tree).unwrap(),
        serde_json::to_string_pretty(&value).unwrap()
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = || {
        prop_oneof![
            any::<String>(),
            "[ -~]{0,40}",
            "[\u{2026}-\u{202a}\"\\\\a\n]{0,20}"
        ]
    };
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn it_agrees_with_serde_json(value in any_value()) {
        let tree = Tree::from(&value);
        let written = line(&tree);
        prop_assert_eq!(&written, &expected(&value));
        let breaks = written.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        prop_assert!(!breaks);
        // By way of any serializer, too.
        prop_assert_eq!(serde_json::to_string(&tree).unwrap(), serde_json::to_string(&value).unwrap());
    }
}
