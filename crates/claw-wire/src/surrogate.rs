//! Lone surrogate escapes: `"\ud83d"` is valid JSON and occurs on real lines (a message truncated
//! inside an emoji), but is not a character.

use std::borrow::Cow;

/// Replaces every unpaired surrogate escape in a JSON text by `\ufffd`. That escape has the same length, so that
/// columns stay correct. The result is borrowed if the text has no such escape.
pub fn repair(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + found;
        let Some(unit) = unit(bytes, start) else {
            // Some other escape: the byte behind the backslash is part of it.
            at = (start + 2).min(bytes.len());
            continue;
        };
        at = start + 6;
        let paired = match unit {
            0xD800..=0xDBFF => matches!(self::unit(bytes, at), Some(0xDC00..=0xDFFF)),
            0xDC00..=0xDFFF => false,
            _ => continue,
        };
        if paired {
            at += 6;
        } else {
            out.get_or_insert_with(|| bytes.to_vec())[start..at].copy_from_slice(b"\\ufffd");
        }
    }
    match out.map(String::from_utf8) {
        Some(Ok(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(text),
    }
}

/// Returns the UTF-16 unit of the escape `\uXXXX` that starts at `at`.
pub(crate) fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        u16::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}
