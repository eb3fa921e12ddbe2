//! Changes members of a JSON object, and leaves the text of all other members unchanged.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// The members of an object, each as it was written. Members that are neither set nor removed are written as they were
/// read, including numbers of any length, halves of surrogate pairs, and bytes that are not UTF-8.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<Member<'a>>);

#[derive(Debug)]
struct Member<'a> {
    name: Cow<'a, str>,
    /// The name as it is written, with its quotes.
    key: Cow<'a, [u8]>,
    value: Cow<'a, [u8]>,
}

impl<'a> Members<'a> {
    /// Parses an object. Returns `None` if the text is not a JSON object.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Self> {
        let text = trimmed(text);
        if text.first() != Some(&b'{') || !is_json(text) {
            return None;
        }
        let mut members = Vec::new();
        let mut at = 1;
        while text[after_space(text, at)] != b'}' {
            let start = after_space(text, at);
            let end = string_end(text, start);
            let key = &text[start..end];
            // The value begins after the colon.
            let start = after_space(text, after_space(text, end) + 1);
            let end = value_end(text, start);
            members.push(Member {
                name: name(key),
                key: Cow::Borrowed(key),
                value: Cow::Borrowed(&text[start..end]),
            });
            at = after_space(text, end);
            at += usize::from(text[at] == b',');
        }
        Some(Self(members))
    }

    /// Returns the value of a member. If the name occurs several times, returns the last value.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().rev().find(|member| member.name == name)?;
        Some(&found.value)
    }

    /// Returns the text of a member whose value is a string.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        text(self.get(name)?)
    }

    /// Whether the value is truthy in JavaScript.
    pub(crate) fn is_truthy(&self, name: &str) -> bool {
        let value = self.get(name);
        value.is_some_and(|value| !matches!(value, b"false" | b"null" | b"0" | b"\"\""))
    }

    /// Sets a value. A new member is added at the end.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<Vec<u8>>) {
        let value = Cow::Owned(value.into());
        let Some(first) = self.0.iter().position(|member| member.name == name) else {
            self.0.push(Member {
                name: Cow::Borrowed(name),
                key: Cow::Owned(quoted(name)),
                value,
            });
            return;
        };
        self.0[first].value = value;
        let mut at = 0;
        self.0.retain(|member| {
            at += 1;
            at <= first + 1 || member.name != name
        });
    }

    /// Removes members.
    pub(crate) fn remove(&mut self, names: &[&str]) {
        self.0.retain(|member| !names.contains(&&*member.name));
    }

    /// Returns the object as text on one line.
    pub(crate) fn to_text(&self) -> Vec<u8> {
        let length: usize = self.0.iter().map(|m| m.key.len() + m.value.len() + 2).sum();
        let mut text = Vec::with_capacity(length + 2);
        text.push(b'{');
        for member in &self.0 {
            if text.len() > 1 {
                text.push(b',');
            }
            text.extend_from_slice(&member.key);
            text.push(b':');
            text.extend_from_slice(&member.value);
        }
        text.push(b'}');
        text
    }
}

/// Returns the items of an array as they are written, or `None` for any other value. The text must be valid JSON.
pub(crate) fn items(text: &[u8]) -> Option<Vec<&[u8]>> {
    if text.first() != Some(&b'[') {
        return None;
    }
    let mut items = Vec::new();
    let mut at = after_space(text, 1);
    while text[at] != b']' {
        let end = value_end(text, at);
        items.push(&text[at..end]);
        at = after_space(text, end);
        if text[at] == b',' {
            at = after_space(text, at + 1);
        }
    }
    Some(items)
}

/// Returns an array of these items.
pub(crate) fn array<T: AsRef<[u8]>>(items: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut text = vec![b'['];
    for item in items {
        if text.len() > 1 {
            text.push(b',');
        }
        text.extend_from_slice(item.as_ref());
    }
    text.push(b']');
    text
}

/// Returns the text of a JSON string, or `None` for any other value. Half of a surrogate pair becomes the replacement
/// character.
pub(crate) fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if !inner.contains(&b'\\') {
        return Some(String::from_utf8_lossy(inner));
    }
    let value = String::from_utf8_lossy(value).into_owned();
    let value = claw_types::Json::from_text(value).ok()?;
    Some(Cow::Owned(value.as_str()?.into_owned()))
}

/// Returns a text as a JSON string.
pub(crate) fn quoted(text: &str) -> Vec<u8> {
    serde_json::Value::from(text).to_string().into_bytes()
}

/// Returns the name of a member.
fn name(key: &[u8]) -> Cow<'_, str> {
    text(key).unwrap_or_else(|| String::from_utf8_lossy(key))
}

/// Returns the text without white space around it. At the beginning, JavaScript's reader of transcripts skips more than
/// white space, and so does this function.
fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| *byte > b' ');
    text[start.unwrap_or(text.len())..].trim_ascii_end()
}

/// Whether the text is JSON, except for bytes in strings that are not UTF-8. Uses no recursion, so that no nesting is
/// too deep.
pub(crate) fn is_json(text: &[u8]) -> bool {
    let text = crate::scan::text(text);
    serde_json::from_str::<&RawValue>(&text).is_ok()
}

// The following functions require valid JSON: every string and every bracket is closed.

fn after_space(text: &[u8], mut at: usize) -> usize {
    while text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &text[at..]) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

fn value_end(text: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match text[at] {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ if depth > 0 => at += 1,
            _ => {
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
                return text[at..]
                    .iter()
                    .position(is_end)
                    .map_or(text.len(), |end| at + end);
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(members: &Members<'_>) -> String {
        String::from_utf8_lossy(&members.to_text()).into_owned()
    }

    #[test]
    fn what_is_not_set_stays_as_it_is_written() {
        let line = br#"  {"a" : 1.50e2 , "\u0062":"\ud800", "c":{"x" : [1, 2]},"n":123456789012345678901234567890}"#;
        let mut members = Members::parse(line).unwrap();
        assert_eq!(members.get("b"), Some(&br#""\ud800""#[..]));
        assert_eq!(members.text("b").as_deref(), Some("\u{fffd}"));
        members.set("a", *b"null");
        members.set("new", quoted("q\"\n"));
        members.remove(&["zzz"]);
        assert_eq!(
            written(&members),
            r#"{"a":null,"\u0062":"\ud800","c":{"x" : [1, 2]},"n":123456789012345678901234567890,"new":"q\"\n"}"#
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let line = b"{\"a\":\"\xff\xe2\",\"b\":1}";
        let members = Members::parse(line).unwrap();
        assert_eq!(members.to_text(), line);
    }

    #[test]
    fn of_a_name_that_stands_twice_the_last_counts_and_one_is_written() {
        let mut members = Members::parse(br#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
        assert_eq!(members.get("a"), Some(&b"3"[..]));
        members.set("a", *b"4");
        assert_eq!(written(&members), r#"{"a":4,"b":2}"#);
        members.remove(&["a", "b"]);
        assert_eq!(written(&members), "{}");
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in [
            "",
            "[]",
            "1",
            "{",
            "{\"a\":1",
            "{\"a\":1}x",
            "{a:1}",
            "null",
            "\"{}\"",
        ] {
            assert!(Members::parse(text.as_bytes()).is_none(), "{text}");
        }
        // A million levels show that no recursion is used.
        let deep = format!(
            "{{\"a\":{}{}}}",
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        let members = Members::parse(deep.as_bytes()).unwrap();
        assert_eq!(members.get("a").unwrap().len(), 2_000_000);
    }

    #[test]
    fn an_array_comes_apart_and_together() {
        assert_eq!(
            items(b"[ 1 ,\"a,]\", [2,3] ]").unwrap(),
            [&b"1"[..], b"\"a,]\"", b"[2,3]"]
        );
        assert_eq!(items(b"[]").unwrap(), Vec::<&[u8]>::new());
        assert!(items(b"{}").is_none());
        assert_eq!(array([b"1", b"2"]), b"[1,2]");
    }

    /// Returns a strategy for JSON of all kinds, with or without space between tokens.
    fn value() -> impl Strategy<Value = String> {
        let space = "[ \t]{0,2}";
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            "-?[1-9][0-9]{0,20}(\\.[0-9]{1,3})?(e[1-9])?",
            ".{0,6}".prop_map(|text| serde_json::Value::from(text).to_string()),
            Just(r#""\\\"\ud83d""#.to_owned()),
        ];
        leaf.prop_recursive(3, 20, 4, move |inner| {
            let item = (space, inner, space).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
            prop_oneof![
                proptest::collection::vec(item.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                proptest::collection::vec((0..5_u8, item), 0..4).prop_map(|members| {
                    let members: Vec<_> = members
                        .iter()
                        .map(|(name, value)| format!("\"k{name}\":{value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_object_is_written_as_it_was_read(inner in value(), other in value()) {
            let line = format!("{{ \"a\" :{inner} , \"b\": {other}}}");
            let members = Members::parse(line.as_bytes()).unwrap();
            prop_assert_eq!(members.get("a"), Some(inner.as_bytes()));
            prop_assert_eq!(members.get("b"), Some(other.as_bytes()));
            prop_assert!(claw_types::json_equal(&written(&members), &line));
            if let Some(items) = items(inner.as_bytes()) {
                let again = String::from_utf8(array(items)).unwrap();
                prop_assert!(claw_types::json_equal(&again, &inner));
            }
        }

        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = Members::parse(&bytes);
            let mut object = b"{\"a\":\"".to_vec();
            object.extend(bytes);
            object.extend(b"\"}");
            if let Some(members) = Members::parse(&object) {
                prop_assert!(Members::parse(&members.to_text()).is_some());
            }
        }
    }
}
