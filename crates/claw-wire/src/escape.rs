//! Text from the wire, made safe to display.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes, in the form `\u{1b}`, every character that could control a terminal or hide other text. These are control
/// characters, invisible characters, and characters that change the direction of writing. Line feeds and tabs are kept.
/// The invisible characters that join emoji or letters are also kept.
///
/// ```
/// # use claw_wire as claw_types;
/// assert_eq!(claw_types::escape("a\u{1b}[2Jb\u{202e}"), "a\\u{1b}[2Jb\\u{202e}");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_with(text, |out, c| {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// Escapes the same characters as [`escape`] in a line of JSON, in the form `\u001b`. This does not change the value of
/// the JSON, because such characters occur only inside strings.
pub fn escape_json(line: &str) -> Cow<'_, str> {
    escape_with(line, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
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
