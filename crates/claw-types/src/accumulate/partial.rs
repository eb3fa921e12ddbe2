//! A tool's input while it is being written.

use crate::Json;

#[cfg(test)]
mod tests;

/// The beginning of a tool's input, as JSON text that may end at any place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialInput<'a>(&'a str);

impl<'a> PartialInput<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the part of the JSON text that has arrived so far.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns the input so far as valid JSON. An incomplete string ends where the text ends, and open lists and
    /// objects are closed. A key without a value, an unfinished number and an unfinished word such as `tru` are left
    /// out. Returns `None` if the text is empty, or if it is not the beginning of an object or a list.
    ///
    /// Each call parses the whole text. Therefore call this method when you need the value, for example to display it,
    /// and not for each delta.
    pub fn completed(self) -> Option<Json> {
        let mut scan = Scan::default();
        for (at, byte) in self.0.bytes().enumerate() {
            scan.take(at, byte);
        }
        if let Some(text) = scan.closed_string(self.0)
            && let Ok(json) = Json::from_text(text)
        {
            return Some(json);
        }
        let (end, depth) = scan.whole?;
        Json::from_text(closed(&self.0[..end], &scan.opened[..depth])).ok()
    }
}

/// Returns the text with all open brackets and strings closed.
fn closed(text: &str, opened: &[u8]) -> String {
    let mut text = text.to_owned();
    text.extend(opened.iter().rev().map(|open| match open {
        b'{' => '}',
        _ => ']',
    }));
    text
}

/// The state of the scanner within a text.
#[derive(Default)]
struct Scan {
    /// The open brackets.
    opened: Vec<u8>,
    /// The end of the last position at which closing the brackets gives JSON, and the number of
    /// brackets open there.
    whole: Option<(usize, usize)>,
    /// The state inside a string.
    string: Option<InString>,
    /// Whether the next string of the innermost object is a key.
    key: bool,
    /// Whether a number or a word has begun.
    word: bool,
}

struct InString {
    is_key: bool,
    /// The end of the string's complete part: an escape after it has begun and not ended.
    whole: usize,
    escape: Escape,
}

#[derive(Clone, Copy, PartialEq)]
enum Escape {
    None,
    Begun,
    /// The number of hexadecimal digits that are still missing, and the value of the digits before them.
    Hex(u8, u32),
}

impl Scan {
    fn take(&mut self, at: usize, byte: u8) {
        if let Some(string) = &mut self.string {
            string.escape = match (string.escape, byte) {
                (Escape::None, b'"') => {
                    let is_key = string.is_key;
                    self.string = None;
                    if !is_key {
                        self.whole = Some((at + 1, self.opened.len()));
                    }
                    return;
                }
                (Escape::None, b'\\') => Escape::Begun,
                (Escape::Begun, b'u') => Escape::Hex(4, 0),
                (Escape::Hex(left, unit), digit) => {
                    let digit = char::from(digit).to_digit(16).unwrap_or_default();
                    let unit = unit << 4 | digit;
                    if left > 1 {
                        Escape::Hex(left - 1, unit)
                    } else {
                        string.escape = Escape::None;
                        // The first half of a surrogate pair alone is not a character.
                        if !(0xd800..0xdc00).contains(&unit) {
                            string.whole = at + 1;
                        }
                        return;
                    }
                }
                _ => Escape::None,
            };
            if string.escape == Escape::None {
                string.whole = at + 1;
            }
            return;
        }
        if self.word && matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') {
            self.word = false;
            self.whole = Some((at, self.opened.len()));
        }
        match byte {
            b'{' | b'[' => {
                self.opened.push(byte);
                self.key = byte == b'{';
                self.whole = Some((at + 1, self.opened.len()));
            }
            b'}' | b']' => {
                self.opened.pop();
                self.key = false;
                self.whole = Some((at + 1, self.opened.len()));
            }
            b',' => self.key = self.opened.last() == Some(&b'{'),
            b':' => self.key = false,
            b'"' => {
                self.string = Some(InString {
                    is_key: self.key,
                    whole: at + 1,
                    escape: Escape::None,
                });
            }
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => self.word = true,
        }
    }

    /// Returns the text up to the end of the complete part of the unfinished string, closed.
    fn closed_string(&self, text: &str) -> Option<String> {
        let string = self.string.as_ref().filter(|string| !string.is_key)?;
        let inside = &text[..string.whole];
        Some(closed(&format!("{inside}\""), &self.opened))
    }
}
