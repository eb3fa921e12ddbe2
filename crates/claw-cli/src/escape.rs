//! Text from the wire, safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with every character escaped that could steer a terminal or hide what stands there;
/// line feeds and tabs stay.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_with(text, |out, c| {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// The same for a line of JSON, which stays the same JSON: such characters can only stand inside
/// its strings.
pub(crate) fn escape_json(line: &str) -> Cow<'_, str> {
    escape_with(line, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// The text on one line of at most `max` characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = escape(&flat);
    if safe.chars().count() <= max {
        return safe.into_owned();
    }
    safe.chars()
        .take(max.saturating_sub(1))
        .chain(['…'])
        .collect()
}

fn escape_with(text: &str, mut write: impl FnMut(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hostile(c) {
            write(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Control characters, and those that are invisible or turn the direction of writing around. The
/// joiners of emoji and scripts stay.
fn is_hostile(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{feff}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
mod tests;
