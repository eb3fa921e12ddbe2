//! Strings and raw JSON, on one line for every reader.

use crate::scan::{SEPARATOR, special};

const HEX: [u8; 16] = *b"0123456789abcdef";

/// Writes a string with its quotes, as `serde_json` does, and U+2028 and U+2029 as escapes.
#[inline]
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let (mut done, mut from) = (0, 0);
    while let Some(at) = special::<SEPARATOR>(bytes, from) {
        from = at + 1;
        let length = if bytes[at] == SEPARATOR {
            let Some(escape) = separator(&bytes[at..]) else {
                continue;
            };
            out.extend_from_slice(&bytes[done..at]);
            out.extend_from_slice(escape);
            3
        } else {
            out.extend_from_slice(&bytes[done..at]);
            escape(out, bytes[at]);
            1
        };
        done = at + length;
        from = done;
    }
    out.extend_from_slice(&bytes[done..]);
    out.push(b'"');
}

/// Writes JSON unchanged, on one line. Inside strings, line feeds are always escaped: any other
/// line feed is between tokens and can become a space. Line separators occur only inside strings.
pub(super) fn raw(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut done = 0;
    for at in memchr::memchr3_iter(b'\n', b'\r', SEPARATOR, bytes) {
        let (instead, length): (&[u8], _) = if bytes[at] == SEPARATOR {
            match separator(&bytes[at..]) {
                Some(escape) => (escape, 3),
                None => continue,
            }
        } else {
            (b" ", 1)
        };
        out.extend_from_slice(&bytes[done..at]);
        out.extend_from_slice(instead);
        done = at + length;
    }
    out.extend_from_slice(&bytes[done..]);
}

/// Returns the escape of the separator at this position.
fn separator(text: &[u8]) -> Option<&'static [u8; 6]> {
    match text {
        [SEPARATOR, 0x80, 0xA8, ..] => Some(b"\\u2028"),
        [SEPARATOR, 0x80, 0xA9, ..] => Some(b"\\u2029"),
        _ => None,
    }
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
