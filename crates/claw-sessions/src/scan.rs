//! Searches in the text of lines that may be cut at any position.

use std::borrow::Cow;

use memchr::{memchr, memmem, memrchr};

/// Returns the bytes as text. Invalid UTF-8 becomes U+FFFD.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    // `from_utf8_lossy` takes several times as long for valid UTF-8 that is not all ASCII.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Returns the lines of a buffer, without their ends. The first and the last line may be incomplete.
pub(crate) fn lines(buffer: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    Lines(Some(buffer))
}

struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0?;
        let end = memchr(b'\n', rest);
        self.0 = end.map(|end| &rest[end + 1..]);
        Some(&rest[..end.unwrap_or(rest.len())])
    }
}

impl DoubleEndedIterator for Lines<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let rest = self.0?;
        let end = memrchr(b'\n', rest);
        self.0 = end.map(|end| &rest[..end]);
        Some(&rest[end.map_or(0, |end| end + 1)..])
    }
}

/// Returns the lines whose `type` is this kind, the last one first. Reads the buffer only once.
pub(crate) fn of_kind<'a>(buffer: &'a [u8], kind: &str) -> impl Iterator<Item = &'a [u8]> {
    let value = format!("\"{kind}\"");
    let found = memmem::find_iter(buffer, &value);
    let named = found.filter(|at| {
        let before = &buffer[..*at];
        let before = before.strip_suffix(b" ").unwrap_or(before);
        before.ends_with(b"\"type\":")
    });
    let mut starts: Vec<usize> = named
        .map(|at| memrchr(b'\n', &buffer[..at]).map_or(0, |end| end + 1))
        .collect();
    // A line that contains the kind twice is returned once.
    starts.dedup();
    let line = move |start: usize| {
        let rest = &buffer[start..];
        &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
    };
    starts.into_iter().rev().map(line)
}

/// Whether a buffer contains a text.
pub(crate) fn has(buffer: &[u8], text: &[u8]) -> bool {
    memmem::find(buffer, text).is_some()
}

/// Whether a line contains a key whose value begins with this text, with or without a space between key and value.
pub(crate) fn has_member(line: &[u8], key: &str, value: &str) -> bool {
    starts(line, key).any(|at| line[at..].starts_with(value.as_bytes()))
}

/// Returns the first value of a key that is a string.
pub(crate) fn first_text(buffer: &[u8], key: &str) -> Option<String> {
    starts(buffer, key).find_map(|at| string(&buffer[at..]))
}

/// Returns the last value of a key that is a string.
pub(crate) fn last_text(buffer: &[u8], key: &str) -> Option<String> {
    // A forward search is several times as fast as a search from the end.
    let found: Vec<_> = starts(buffer, key).collect();
    found.into_iter().rev().find_map(|at| string(&buffer[at..]))
}

/// Returns the positions at which values of a key begin.
fn starts<'a>(buffer: &'a [u8], key: &str) -> impl Iterator<Item = usize> + 'a {
    let key = format!("\"{key}\":");
    let length = key.len();
    let finder = memmem::Finder::new(&key).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(&buffer[from..])? + length;
        from = at;
        Some(at + usize::from(buffer.get(at) == Some(&b' ')))
    })
}

/// Returns the complete string that begins here.
fn string(text: &[u8]) -> Option<String> {
    let rest = text.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        match *rest.get(at)? {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    // A string with a lone surrogate or cut bytes is decoded as far as possible.
    let quoted = String::from_utf8_lossy(&text[..at + 2]);
    claw_types::Json::from_text(quoted.into_owned())
        .ok()?
        .as_str()
        .map(Cow::into_owned)
}

/// Returns the JSON text in which each escaped half of a surrogate pair is replaced by U+FFFD.
pub(crate) fn without_halves(json: &str) -> String {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut whole = String::with_capacity(json.len());
    let (mut at, mut from) = (0, 0);
    while let Some(found) = memchr(b'\\', &json.as_bytes()[at..]) {
        at += found;
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                whole += &json[from..at];
                whole += "\\ufffd";
                from = at + 6;
                6
            }
            // The escaped character is skipped, because it cannot begin another escape.
            _ => 2,
        };
        at = (at + length).min(json.len());
    }
    whole += &json[from..];
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_value_is_skipped() {
        let buffer = br#"tle":"cut"} {"title":"first"} {"title": "se\"cond"} {"title":"cu"#;
        assert_eq!(first_text(buffer, "title").as_deref(), Some("first"));
        assert_eq!(last_text(buffer, "title").as_deref(), Some("se\"cond"));
        assert_eq!(last_text(buffer, "other"), None);
    }

    #[test]
    fn an_escape_at_the_end_of_the_buffer_is_cut_as_well() {
        assert_eq!(first_text(br#""a":"x\"#, "a"), None);
        assert_eq!(first_text(br#""a":"x\""#, "a"), None);
        assert_eq!(
            first_text(b"\"a\":\"\xff\"", "a").as_deref(),
            Some("\u{fffd}")
        );
        assert_eq!(
            first_text(br#""a":"\ud800""#, "a").as_deref(),
            Some("\u{fffd}")
        );
    }

    #[test]
    fn lines_come_from_both_ends() {
        for text in ["", "\n", "a", "a\n", "\na", "a\n\nb\n"] {
            let split: Vec<_> = text.split('\n').map(str::as_bytes).collect();
            assert_eq!(lines(text.as_bytes()).collect::<Vec<_>>(), split);
            let backwards: Vec<_> = lines(text.as_bytes()).rev().collect();
            assert!(backwards.iter().eq(split.iter().rev()), "{text:?}");
        }
    }

    #[test]
    fn lines_of_a_kind_come_once_and_the_last_one_first() {
        let text = br#"{"type":"tag","n":1}
{"type":"note"} "tag"
{"type": "tag","in":{"type":"tag"}}
{"type":"tag"#;
        let found: Vec<_> = of_kind(text, "tag").map(String::from_utf8_lossy).collect();
        assert_eq!(
            found,
            [
                r#"{"type": "tag","in":{"type":"tag"}}"#,
                r#"{"type":"tag","n":1}"#
            ]
        );
    }

    #[test]
    fn a_key_is_found_with_its_value() {
        assert!(has_member(
            br#"{"isSidechain": true}"#,
            "isSidechain",
            "true"
        ));
        assert!(!has_member(
            br#"{"isSidechain":false}"#,
            "isSidechain",
            "true"
        ));
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_whole_pairs_are_kept() {
        let json = r#"["\ud83d\ude00","\ud83d","\ude00x","\\ud83d","\n","\ud83d\ud83d\ude00"]"#;
        let whole = r#"["\ud83d\ude00","\ufffd","\ufffdx","\\ud83d","\n","\ufffd\ud83d\ude00"]"#;
        assert_eq!(without_halves(json), whole);
        assert_eq!(without_halves("\\"), "\\");
        assert_eq!(without_halves("\\é"), "\\é");
    }
}
