//! Some members of an object, without the rest of it.

use crate::Json;
use crate::failed::Failed;
use crate::parser::Parser;

/// Reads members of a JSON object by their keys, in one pass that keeps nothing else. A key that the object does not
/// have gives `None` in its place. If the object has a key twice, the last value counts.
///
/// Returns `None` if the text is not a JSON object.
///
/// ```
/// # use claw_wire as claw_types;
/// use claw_types::members;
///
/// let line = br#"{"type":"result","subtype":"success","result":"4"}"#;
/// let [kind, session] = members(line, ["type", "session_id"]).unwrap();
/// assert_eq!(kind.unwrap().as_str().as_deref(), Some("result"));
/// assert!(session.is_none());
/// assert!(members(b"not JSON", ["type"]).is_none());
/// ```
pub fn members<const N: usize>(text: &[u8], keys: [&str; N]) -> Option<[Option<Json>; N]> {
    let mut found = [const { None }; N];
    find(std::str::from_utf8(text).ok()?, &keys, &mut found).ok()?;
    Some(found)
}

fn find(text: &str, keys: &[&str], found: &mut [Option<Json>]) -> Result<(), Failed> {
    let mut parser = Parser::new(text);
    parser.open(b'{', &"an object")?;
    let mut begun = false;
    while parser.more(&mut begun, b'}')? {
        let key = parser.key()?;
        let key = parser.unescaped(&key);
        let at = keys.iter().position(|requested| *requested == key);
        let value = parser.raw()?;
        if let Some(at) = at {
            found[at] = Some(Json::of_raw(value));
        }
    }
    parser.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_wherever_they_stand() {
        let text = br#" {"b": {"a": 1}, "\u0061": "\ud800", "a": [2], "c": 1e400} "#;
        let [a, c, d] = members(text, ["a", "c", "d"]).unwrap();
        assert_eq!((a.unwrap().as_raw(), c.unwrap().as_raw()), ("[2]", "1e400"));
        assert!(d.is_none());
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in [
            "",
            "[]",
            "null",
            r#"{"a":1"#,
            r#"{"a":1} {}"#,
            r#"{"a":}"#,
            r#"{"a":1 "b":2}"#,
        ] {
            assert!(members(text.as_bytes(), ["a"]).is_none(), "{text}");
        }
        assert!(members(b"{\"a\":\"\xff\"}", ["a"]).is_none());
    }
}
