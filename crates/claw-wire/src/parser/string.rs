//! Strings.

use super::{Failed, Parser, Result};
use crate::scan::{PLAIN, special};
use crate::surrogate;

/// A JSON string that was read. [`Parser::unescaped`] returns its text.
#[non_exhaustive]
pub enum Text<'de> {
    /// The string has no escapes. So its text is a piece of the JSON text.
    Plain(&'de str),
    /// The string has escapes. Its unescaped text is in a buffer of the parser.
    Unescaped,
}

impl<'de> Parser<'de> {
    /// Returns the next quote, backslash or control character, and its position.
    #[inline]
    fn special(&self, from: usize) -> Result<(usize, u8)> {
        let bytes = self.text.as_bytes();
        let at = special::<PLAIN>(bytes, from).ok_or(Failed)?;
        Ok((at, bytes[at]))
    }

    /// Reads a string, from its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Text<'de>> {
        let start = self.at + 1;
        let (end, byte) = self.special(start)?;
        if byte == b'"' {
            self.at = end + 1;
            return self.text.get(start..end).map(Text::Plain).ok_or(Failed);
        }
        self.unescape(start, end)
    }

    /// Returns the text of a string that was read, with its escapes replaced. It is valid until the parser reads the
    /// next string.
    #[inline]
    pub fn unescaped<'a>(&'a self, text: &Text<'a>) -> &'a str {
        match text {
            Text::Plain(text) => text,
            Text::Unescaped => &self.scratch,
        }
    }

    /// Reads a key of an object, and the colon after the key.
    #[inline]
    pub fn key(&mut self) -> Result<Text<'de>> {
        if self.peek() != b'"' {
            return Err(Failed);
        }
        let key = self.string().map_err(|_| self.bad_string())?;
        self.expect(b':')?;
        Ok(key)
    }

    /// Reads a string, and returns its text. If the next value is not a string, the error says that `expected` was
    /// expected.
    #[inline]
    pub fn text(&mut self, expected: &'static str) -> Result<&str> {
        if self.peek() != b'"' {
            return Err(self.mismatch(b'"', &expected));
        }
        match self.string() {
            Ok(Text::Plain(text)) => Ok(text),
            Ok(Text::Unescaped) => Ok(&self.scratch),
            Err(_) => Err(self.bad_string()),
        }
    }

    /// Reads a value of any kind. If the value is a string, returns its text; otherwise returns `None`.
    pub fn any_text(&mut self) -> Result<Option<&str>> {
        if self.peek() == b'"' {
            match self.string() {
                Ok(Text::Plain(text)) => return Ok(Some(text)),
                Ok(Text::Unescaped) => return Ok(Some(&self.scratch)),
                Err(_) => {}
            }
        }
        self.skip().map(|()| None)
    }

    /// Records the error of `serde_json` about the string at this position.
    #[cold]
    fn bad_string(&mut self) -> Failed {
        let start = self.start();
        match self.retry_with_serde_json::<String>(start) {
            Err(error) => error,
            // It reads no string that this one does not.
            Ok(_) => self.fail_at(start, "not read"),
        }
    }

    #[cold]
    fn unescape(&mut self, start: usize, first: usize) -> Result<Text<'de>> {
        let bytes = self.text.as_bytes();
        self.scratch.clear();
        self.scratch
            .push_str(self.text.get(start..first).ok_or(Failed)?);
        let mut at = first;
        loop {
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Text::Unescaped);
                }
                Some(b'\\') => {}
                _ => return Err(Failed),
            }
            let plain = match bytes.get(at + 1) {
                Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{c}',
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(b'u') => {
                    let (unescaped, length) = self.unicode(at)?;
                    at += length - 2;
                    unescaped
                }
                _ => return Err(Failed),
            };
            self.scratch.push(plain);
            let from = at + 2;
            (at, _) = self.special(from)?;
            self.scratch
                .push_str(self.text.get(from..at).ok_or(Failed)?);
        }
    }

    /// Returns the character of `\uXXXX`, or of two escapes that form a pair, and the length of the
    /// escapes.
    fn unicode(&self, at: usize) -> Result<(char, usize)> {
        let unit = |at| surrogate::unit(self.text.as_bytes(), at).ok_or(Failed);
        let first = unit(at)?;
        if let Some(c) = char::from_u32(u32::from(first)) {
            return Ok((c, 6));
        }
        let pair = char::decode_utf16([first, unit(at + 6)?]).next();
        match pair {
            Some(Ok(c)) => Ok((c, 12)),
            _ => Err(Failed),
        }
    }
}
