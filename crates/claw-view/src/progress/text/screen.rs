//! Interprets the terminal escape sequences in a text.

use std::borrow::Cow;

/// Returns the text without codes for colours. A code that moves the cursor is replaced by a carriage return, because
/// the text after the code overwrites existing text. A backspace removes the character before it.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{8}']) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{8}']) {
        out.push_str(&rest[..at]);
        let code = &rest[at..];
        rest = if let Some(after) = code.strip_prefix('\u{8}') {
            if !out.ends_with('\n') {
                out.pop();
            }
            after
        } else {
            escape(&code[1..], &mut out)
        };
    }
    out.push_str(rest);
    out.into()
}

/// Reads the code after an escape character, and returns the text after the code.
fn escape<'a>(code: &'a str, out: &mut String) -> &'a str {
    let mut chars = code.chars();
    match chars.next() {
        Some('[') => {
            let body = chars.as_str();
            let Some(end) = body.find(|c: char| !('\u{20}'..='\u{3f}').contains(&c)) else {
                return "";
            };
            let mut after = body[end..].chars();
            match after.next() {
                Some('A' | 'B' | 'E' | 'F' | 'G' | 'H' | 'f') => out.push('\r'),
                Some('C') => out.push(' '),
                _ => {}
            }
            after.as_str()
        }
        // The code contains a title or a link. It ends at a bell or at another escape.
        Some(']') => match code.find(['\u{7}', '\u{1b}']) {
            Some(end) if code[end..].starts_with('\u{7}') => &code[end + 1..],
            Some(end) => code[end + 1..].strip_prefix('\\').unwrap_or(&code[end..]),
            None => "",
        },
        _ => chars.as_str(),
    }
}

#[cfg(test)]
mod tests;
