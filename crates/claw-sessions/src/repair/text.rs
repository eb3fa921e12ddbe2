//! Mends the text of a record: escapes, UTF-8 and surrogates.

use memchr::memchr;

/// Returns the text with every escape and every control character of its strings made valid. A backslash that does not
/// begin a valid escape becomes an escaped backslash. Whether the result is JSON is not checked.
pub(super) fn with_valid_escapes(text: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(text.len() + 8);
    let mut is_string = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => {
                is_string = !is_string;
                mended.push(byte);
            }
            b'\\' if is_string => {
                let length = escape_length(&text[at..]);
                if length == 0 {
                    mended.extend_from_slice(b"\\\\");
                } else {
                    mended.push(byte);
                    mended.extend_from_slice(&text[at..at + length]);
                    at += length;
                }
            }
            0..0x20 if is_string => {
                mended.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            }
            _ => mended.push(byte),
        }
    }
    mended
}

/// Returns the length of a valid escape without its backslash, or 0.
fn escape_length(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 1,
        Some(b'u') if unit(rest).is_some() => 5,
        _ => 0,
    }
}

/// Returns the UTF-16 unit of an escape that begins with `u`.
fn unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns valid JSON in which U+FFFD replaces each half of a surrogate pair. Returns `None` if there is no such half.
pub(super) fn without_half_surrogates(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::new();
    let (mut done, mut at) = (0, 0);
    while let Some(found) = memchr(b'\\', &json[at..]) {
        let start = at + found;
        let Some(first) = unit(&json[start + 1..]) else {
            // This is the escape of a single character, which may be a backslash. The escape is
            // skipped.
            at = (start + 2).min(json.len());
            continue;
        };
        at = start + 6;
        let second = json[at..].strip_prefix(b"\\").and_then(unit);
        match (first, second) {
            (0xd800..0xdc00, Some(0xdc00..0xe000)) => at += 6,
            (0xd800..0xe000, _) => {
                mended.extend_from_slice(&json[done..start]);
                mended.extend_from_slice(b"\\ufffd");
                done = at;
            }
            _ => {}
        }
    }
    if done == 0 {
        return None;
    }
    mended.extend_from_slice(&json[done..]);
    Some(mended)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn escapes(text: &str) -> String {
        String::from_utf8(with_valid_escapes(text.as_bytes())).unwrap()
    }

    #[test]
    fn an_escape_that_is_not_valid_becomes_text() {
        assert_eq!(
            escapes(r#"{"a":"\x \u12 \n \\x \""}"#),
            r#"{"a":"\\x \\u12 \n \\x \""}"#
        );
        assert_eq!(escapes("{\"a\":\"\u{1}\t\"}"), r#"{"a":"\u0001\u0009"}"#);
        assert_eq!(escapes("{\t\"a\":1}"), "{\t\"a\":1}");
        assert_eq!(escapes("\"\\"), "\"\\\\");
    }

    #[test]
    fn only_half_of_a_pair_is_replaced() {
        let mended = |text: &str| {
            let mended = without_half_surrogates(text.as_bytes())?;
            Some(String::from_utf8(mended).unwrap())
        };
        assert_eq!(mended(r#""\ud83d\ude00 \\ud83d \u00e9""#), None);
        assert_eq!(mended(r#""a\ud83db""#).unwrap(), r#""a\ufffdb""#);
        assert_eq!(mended(r#""\ude00\ud83d""#).unwrap(), r#""\ufffd\ufffd""#);
        assert_eq!(
            mended(r#""\ud83d\ud83d\ude00""#).unwrap(),
            r#""\ufffd\ud83d\ude00""#
        );
        assert_eq!(mended(r#""\\\ud83d""#).unwrap(), r#""\\\ufffd""#);
    }

    proptest! {
        #[test]
        fn valid_json_stays_as_it_is(text in ".{0,30}") {
            let json = Value::from(text).to_string();
            prop_assert_eq!(with_valid_escapes(json.as_bytes()), json.as_bytes());
            prop_assert_eq!(without_half_surrogates(json.as_bytes()), None);
        }

        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>) {
            let mended = with_valid_escapes(&bytes);
            without_half_surrogates(&bytes);
            prop_assert_eq!(with_valid_escapes(&mended).len() >= mended.len(), true);
        }

        #[test]
        fn what_is_replaced_can_be_read(units in proptest::collection::vec(any::<u16>(), 0..8)) {
            let escaped: Vec<_> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{}\"", escaped.concat());
            let mended = without_half_surrogates(json.as_bytes());
            let mended = mended.map_or(json, |mended| String::from_utf8(mended).unwrap());
            let read: String = serde_json::from_str(&mended).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
