//! Claw's own reader of JSON.
//!
//! It is made for what the CLI writes: compact JSON with ordinary strings and numbers. It accepts nothing that
//! `serde_json` refuses, and gives the same values. It leaves unusual values to `serde_json` (a number that does not
//! fit into 64 bits, half a surrogate pair, deep nesting), which reads that one value or says what is wrong with it. A
//! fuzz test compares the two readers.

mod failing;
mod number;
mod source;
mod string;

use std::fmt;

use serde::de::IgnoredAny;

use crate::failed::Failed;
use crate::fault::Fault;
pub use string::Text;

/// The maximum depth of nested values, as in `serde_json`.
const DEEPEST: u8 = 127;
/// The maximum depth of nested unions. `serde_json` stops at about the same depth of tagged enums.
const DEEPEST_UNION: u8 = 64;

type Result<T> = std::result::Result<T, Failed>;

/// Reads one JSON text, from its start to its end.
pub struct Parser<'de> {
    pub(crate) text: &'de str,
    at: usize,
    depth: u8,
    /// The number of unions that are being read, one inside the other.
    unions: u8,
    /// The last string that had escapes, without its escapes.
    scratch: String,
    pub(crate) fault: Option<Box<Fault>>,
}

impl<'de> Parser<'de> {
    /// Creates a parser at the start of a text.
    #[inline]
    pub fn new(text: &'de str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            unions: 0,
            scratch: String::new(),
            fault: None,
        }
    }

    /// Checks that only white space is left in the text.
    #[inline]
    pub fn end(&mut self) -> Result<()> {
        if self.peek() == 0 && self.at == self.text.len() {
            Ok(())
        } else {
            Err(Failed)
        }
    }

    /// Skips white space. Returns the position at which the next value starts.
    #[inline]
    pub fn start(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns the current position, which is the number of bytes that have been read.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the text that has not been read yet.
    #[inline]
    pub fn rest(&self) -> &'de str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves to another position at the same nesting depth.
    #[inline]
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// Skips white space. Returns the byte after it, but does not read that byte. Returns 0 at the end of the text.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        match self.text.as_bytes().get(self.at) {
            Some(&byte) if byte > b' ' => byte,
            _ => self.peek_behind_space(),
        }
    }

    /// Skips white space. The CLI writes none, so this function is kept out of the usual path.
    #[cold]
    fn peek_behind_space(&mut self) -> u8 {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek() == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(Failed)
        }
    }

    fn literal(&mut self, word: &str) -> Result<()> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(Failed)
        }
    }

    fn descend(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(Failed)
        } else {
            Ok(())
        }
    }

    /// Reads the opening bracket of an object or a list. `byte` is that bracket. If the next value begins with another
    /// byte, the error says that `expected` was expected.
    #[inline]
    pub fn open(&mut self, byte: u8, expected: &dyn fmt::Display) -> Result<()> {
        if self.peek() != byte {
            return Err(self.mismatch(byte, expected));
        }
        self.at += 1;
        self.descend().map_err(|_| self.too_deep())
    }

    /// Moves to the next member of the object or list that is being read. At the end, reads the closing bracket `close`
    /// and returns `false`. `begun` says whether a member has already been read.
    #[inline]
    pub fn more(&mut self, begun: &mut bool, close: u8) -> Result<bool> {
        let byte = self.peek();
        if byte == close {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if std::mem::replace(begun, true) {
            if byte != b',' {
                return Err(Failed);
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// Goes back to the start of the object or list that was opened last, as if it had not been opened.
    #[inline]
    pub fn reopen(&mut self, start: usize) {
        self.at = start;
        self.depth -= 1;
    }

    /// Enters a union inside the unions that are being read. The depth is limited for two reasons: what is read twice
    /// on each level costs time that grows with the square of the depth, and the stack is finite.
    #[inline]
    pub(crate) fn enter_union(&mut self) -> Result<()> {
        if self.unions >= DEEPEST_UNION {
            return Err(self.too_deep());
        }
        self.unions += 1;
        Ok(())
    }

    #[inline]
    pub(crate) fn leave_union(&mut self) {
        self.unions -= 1;
    }

    /// Returns the depth of nested values, and of nested unions.
    #[inline]
    pub(crate) fn level(&self) -> (u8, u8) {
        (self.depth, self.unions)
    }

    /// Goes back to the start of a value that was not read, as if it had not been tried.
    #[cold]
    pub(crate) fn return_to(&mut self, start: usize, (depth, unions): (u8, u8)) {
        (self.at, self.depth, self.unions) = (start, depth, unions);
        self.fault = None;
    }

    #[cold]
    fn too_deep(&mut self) -> Failed {
        self.fail_at(self.at, "recursion limit exceeded")
    }

    /// Reads the next value only if it is null. Returns whether it is null.
    #[inline]
    pub fn null(&mut self) -> Result<bool> {
        if self.peek() == b'n' {
            self.literal("null").map(|()| true)
        } else {
            Ok(false)
        }
    }

    /// Skips one value of any kind. If the value is too unusual for this parser, `serde_json` scans it instead.
    #[inline]
    pub fn skip(&mut self) -> Result<()> {
        let (start, depth) = (self.start(), self.depth);
        self.skip_ordinary()
            .or_else(|Failed| self.skip_any(start, depth))
    }

    #[cold]
    #[inline(never)]
    fn skip_any(&mut self, start: usize, depth: u8) -> Result<()> {
        let rest = &self.text[start..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                self.at = start + values.byte_offset();
                self.depth = depth;
                Ok(())
            }
            Some(Err(error)) => Err(self.fail_as_serde_json(start, &error)),
            None => Err(Failed),
        }
    }

    fn skip_ordinary(&mut self) -> Result<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' => self.skip_all(b'}', |parser| {
                if parser.peek() != b'"' {
                    return Err(Failed);
                }
                parser.string()?;
                parser.expect(b':')?;
                parser.skip_ordinary()
            }),
            b'[' => self.skip_all(b']', Self::skip_ordinary),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number().map(drop),
        }
    }

    fn skip_all(&mut self, close: u8, item: fn(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.descend()?;
        if self.peek() != close {
            loop {
                item(self)?;
                match self.peek() {
                    b',' => self.at += 1,
                    byte if byte == close => break,
                    _ => return Err(Failed),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// Reads one value of any kind, and returns its JSON text.
    #[inline]
    pub fn raw(&mut self) -> Result<&'de str> {
        let start = self.start();
        self.skip()?;
        self.text.get(start..self.at).ok_or(Failed)
    }
}

#[cfg(test)]
mod tests;
