//! A changed value in the bytes of the line that it was read from.

use std::collections::{HashMap, HashSet};
use std::fmt;

use claw_types::json_equal;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The depth down to which single members are replaced. A value that changed below it is replaced as a whole, because
/// the line determines the depth.
const DEEPEST: usize = 32;

/// Returns the line `old` in which the values that differ in `new` are replaced. `None` if that is not possible, for
/// example because the line is not UTF-8.
pub(super) fn edited(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let (old, new) = (str::from_utf8(old).ok()?, str::from_utf8(new).ok()?);
    let text = old.trim();
    let at = offset(old, text);
    let mut out = String::with_capacity(old.len().max(new.len()));
    out.push_str(&old[..at]);
    replace(text, new, &mut out, 0);
    out.push_str(&old[at + text.len()..]);
    json_equal(&out, new).then(|| out.into_bytes())
}

/// Writes `old` with what differs in `new`.
fn replace(old: &str, new: &str, out: &mut String, depth: usize) {
    if json_equal(old, new) {
        out.push_str(old);
        return;
    }
    let before = out.len();
    let is_done = depth < DEEPEST
        && (object(old, new, out, depth).is_some() || list(old, new, out, depth).is_some());
    if !is_done {
        out.truncate(before);
        out.push_str(new);
    }
}

/// Writes an object. `None` if the values are not objects, or if a key occurs twice.
fn object(old: &str, new: &str, out: &mut String, depth: usize) -> Option<()> {
    let (before, after) = (Members::read(old)?, Members::read(new)?);
    let new_values: HashMap<&str, &str> = after.iter().collect();
    let keys: HashSet<&str> = before.iter().map(|(key, _)| key).collect();
    if keys.len() != before.0.len() || new_values.len() != after.0.len() {
        return None;
    }
    let (mut end, mut is_first, mut is_behind_removed) = (1, true, false);
    out.push('{');
    for (key, value) in before.iter() {
        let start = offset(old, value);
        // White space, the comma, the key, the colon.
        let lead = &old[end..start];
        end = start + value.len();
        let Some(new) = new_values.get(key) else {
            is_behind_removed = true;
            continue;
        };
        // White space before the comma belongs to the member before it.
        let lead = if std::mem::take(&mut is_behind_removed) {
            lead.trim_start()
        } else {
            lead
        };
        let without_comma = lead.trim_start().strip_prefix(',').unwrap_or(lead);
        out.push_str(if is_first { without_comma } else { lead });
        replace(value, new, out, depth + 1);
        is_first = false;
    }
    for (key, value) in after.iter().filter(|(key, _)| !keys.contains(key)) {
        if !is_first {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(key).ok()?);
        out.push(':');
        out.push_str(value);
        is_first = false;
    }
    out.push_str(&old[end..]);
    Some(())
}

/// Writes a list. `None` if the values are not lists of the same length.
fn list(old: &str, new: &str, out: &mut String, depth: usize) -> Option<()> {
    let before: Vec<&RawValue> = serde_json::from_str(old).ok()?;
    let after: Vec<&RawValue> = serde_json::from_str(new).ok()?;
    if before.len() != after.len() {
        return None;
    }
    let mut end = 0;
    for (value, new) in before.iter().zip(&after) {
        let start = offset(old, value.get());
        out.push_str(&old[end..start]);
        end = start + value.get().len();
        replace(value.get(), new.get(), out, depth + 1);
    }
    out.push_str(&old[end..]);
    Some(())
}

/// Returns the place of a part in the text that it was borrowed from.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The members of an object, in order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (&**key, value.get()))
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn holds(old: &str, new: &str, out: &str) {
        let edited =
            edited(old.as_bytes(), new.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(edited.as_deref(), Some(out), "{old} {new}");
    }

    #[test]
    fn only_the_values_that_changed_are_replaced() {
        holds(
            r#" { "b" : 1e0, "a":[ {"x":"\u0041", "y":1} , 2 ] }"#,
            r#"{"a":[{"x":"A","y":3},2],"b":1.0}"#,
            r#" { "b" : 1e0, "a":[ {"x":"\u0041", "y":3} , 2 ] }"#,
        );
        holds(
            r#"{"a":1, "b":2 ,"c":3}"#,
            r#"{"a":1,"c":3}"#,
            r#"{"a":1,"c":3}"#,
        );
        holds(r#"{ "a":1, "b":2 }"#, r#"{"b":2}"#, r#"{ "b":2 }"#);
        holds(
            r#"{"a":1 }"#,
            r#"{"c":[],"a":1,"b":null}"#,
            r#"{"a":1,"c":[],"b":null }"#,
        );
        holds("{ }", r#"{"a":1}"#, r#"{"a":1 }"#);
        holds(r#"{"a":[1,2]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        holds(r#"{"a":{"b":1}}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        holds("{\"a\": 1}\r", r#"{"a":2}"#, "{\"a\": 2}\r");
    }

    #[test]
    fn what_cannot_be_edited_is_written_as_a_whole() {
        holds(r#"{"a":1,"a":2}"#, r#"{"a":3}"#, r#"{"a":3}"#);
        holds("no JSON", r#"{"a":3}"#, r#"{"a":3}"#);
        assert_eq!(edited(b"{\"a\":\"\xff\"}", br#"{"a":3}"#), None);
        let deep = |inner: &str| format!("{}{inner}{}", "[ ".repeat(60), "]".repeat(60));
        let (old, new) = (deep("1"), deep("2"));
        let line = edited(old.as_bytes(), new.replace(' ', "").as_bytes()).unwrap();
        assert!(json_equal(std::str::from_utf8(&line).unwrap(), &new));
    }
}
