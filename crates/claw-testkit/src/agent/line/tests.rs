use super::{fill, with};
use crate::agent::AgentError;

fn value(name: &str) -> Option<String> {
    match name {
        "uuid" => Some("\"u\"".to_owned()),
        "tricky" => Some("\"$uuid\"".to_owned()),
        "list_of" => Some("[1]".to_owned()),
        _ => None,
    }
}

#[test]
fn placeholders_are_whole_strings() {
    let template =
        r#"{"a":"$uuid","b":["$list_of","$tricky"],"c":"$HOME","d":"cost: $uuid","e":"$"}"#;
    let expected = r#"{"a":"u","b":[[1],"$uuid"],"c":"$HOME","d":"cost: $uuid","e":"$"}"#;
    assert_eq!(fill(template, value).unwrap(), expected);
}

#[test]
fn an_unknown_placeholder_is_an_error() {
    let error = fill(r#"{"a":"$nope"}"#, value).unwrap_err();
    assert!(matches!(error, AgentError::Placeholder { name } if name == "nope"));
}

#[test]
fn members_go_to_the_end() {
    assert_eq!(with(r#"{"a":1}"#, r#""b":2"#), r#"{"a":1,"b":2}"#);
}
