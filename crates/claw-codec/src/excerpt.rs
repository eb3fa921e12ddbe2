//! Wire bytes as text that can be shown.

use std::fmt::Write as _;

/// The first `max` bytes of a line of `length` bytes that starts with `raw`, as text that is safe on a terminal:
/// invalid UTF-8 becomes U+FFFD, control and invisible characters are escaped, and the number of missing bytes is
/// added.
pub(crate) fn excerpt(raw: &[u8], length: u64, max: usize) -> String {
    let mut end = raw.len().min(max);
    // The end must not be inside a character, so it moves back over at most three continuation bytes.
    while end < raw.len() && end > max.saturating_sub(3) && raw[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    let mut text = String::with_capacity(end);
    for c in String::from_utf8_lossy(&raw[..end]).chars() {
        match c {
            '"' | '\'' | '\\' => text.push(c),
            _ => text.extend(c.escape_debug()),
        }
    }
    let missing = length - end as u64;
    if missing > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, "… ({missing} bytes more)");
    }
    text
}

#[cfg(test)]
mod tests;
