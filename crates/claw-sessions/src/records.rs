//! The records of a line.
//!
//! A line of a transcript should be one JSON object. Killed programs, two processes that write to one file, and file
//! systems after a loss of power can leave other lines: a record and the beginning of the next one, a torn record and a
//! complete one, runs of NUL, or a byte order mark from an editor.

use std::ops::Range;

use memchr::memmem;

use crate::cursor::Cursor;

/// Whether a line is one record, or blank.
pub(crate) fn is_record(line: &[u8]) -> bool {
    let mut cursor = Cursor::new(line);
    cursor.is_at_end() || cursor.is_object() && cursor.skip().is_some() && cursor.is_at_end()
}

/// Returns the parts of a line in order: its complete records, and the other text between them. White space, NUL and
/// byte order marks around the parts are left out. A line that contains nothing else has one empty part.
///
/// ```
/// let line = b"\0{\"type\":\"mode\"}{\"type\":\"us";
/// let parts = claw_sessions::records(line);
/// assert_eq!(parts, [1..16, 16..27]);
/// ```
pub fn records(line: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    // The budget ensures that each byte of any line is examined only a few times.
    let mut budget = line.len().saturating_mul(4);
    let mut at = passed(line, 0);
    while at < line.len() {
        if let Some(end) = object(line, at) {
            parts.push(at..end);
            at = passed(line, end);
            continue;
        }
        let next = next_entry(line, at + 1, &mut budget);
        let end = next - blank_end(&line[at..next]);
        parts.push(at..end);
        at = next;
    }
    if parts.is_empty() {
        parts.push(0..0);
    }
    parts
}

/// Returns the end of the object that begins here.
fn object(line: &[u8], at: usize) -> Option<usize> {
    let mut cursor = Cursor::new(&line[at..]);
    if !cursor.is_object() {
        return None;
    }
    let start = cursor.place();
    cursor.skip()?;
    Some(at + start + cursor.from(start).len())
}

/// Returns the position after white space, NUL and byte order marks.
fn passed(line: &[u8], mut at: usize) -> usize {
    loop {
        let rest = &line[at..];
        match rest.first() {
            Some(0) => at += 1,
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(_) if rest.starts_with(b"\xef\xbb\xbf") => at += 3,
            _ => return at,
        }
    }
}

/// Returns the number of bytes at the end that are white space or NUL.
fn blank_end(text: &[u8]) -> usize {
    let is_blank = |byte: &&u8| **byte == 0 || byte.is_ascii_whitespace();
    text.iter().rev().take_while(is_blank).count()
}

/// Returns the beginning of the next entry after a torn entry, or the end of the line. An object inside the torn entry
/// is not an entry, because an entry contains its type and its session ID.
fn next_entry(line: &[u8], from: usize, budget: &mut usize) -> usize {
    for found in memmem::find_iter(&line[from..], b"{\"") {
        let at = from + found;
        let Some(end) = object(line, at) else {
            *budget = budget.saturating_sub(line.len() - at);
            if *budget == 0 {
                break;
            }
            continue;
        };
        *budget = budget.saturating_sub(end - at);
        if is_entry(&line[at..end]) {
            return at;
        }
        if *budget == 0 {
            break;
        }
    }
    line.len()
}

fn is_entry(object: &[u8]) -> bool {
    let (mut has_type, mut has_session) = (false, false);
    let read = Cursor::new(object).object(|key, cursor| {
        match key {
            b"type" => has_type = cursor.is_string(),
            b"sessionId" => has_session = cursor.is_string(),
            _ => {}
        }
        cursor.skip()
    });
    read.is_some() && has_type && has_session
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Vec<&str> {
        let parts = records(line.as_bytes()).into_iter();
        parts.map(|part| &line[part]).collect()
    }

    #[test]
    fn every_whole_record_of_a_line_is_found() {
        let a = r#"{"type":"user","sessionId":"s","message":{"type":"x","sessionId":1}}"#;
        let b = r#"{"parentUuid":"p","type":"assistant","sessionId":"s"}"#;
        assert_eq!(parts(a), [a]);
        assert_eq!(parts(&format!("{a}{b}")), [a, b]);
        assert_eq!(parts(&format!("\u{feff}\0\0{a} \0{b}\0\0\r")), [a, b]);
        assert_eq!(parts(&format!("{a}{}", &b[..20])), [a, &b[..20]]);
        assert_eq!(parts(&format!("{}{b}", &a[..40])), [&a[..40], b]);
        assert_eq!(parts(&format!("{a}nonsense {b}")), [a, "nonsense", b]);
        // An object inside a torn record is not a record.
        assert_eq!(parts(&a[..a.len() - 1]), [&a[..a.len() - 1]]);
        assert_eq!(parts("\0\0\0"), [""]);
        assert_eq!(parts("nonsense"), ["nonsense"]);
        assert!(is_record(a.as_bytes()) && is_record(b" \r"));
        assert!(!is_record(format!("{a}{b}").as_bytes()) && !is_record(b"\0"));
    }
}
