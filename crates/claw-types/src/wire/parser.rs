//! The fast path's own reader of JSON.
//!
//! Reads what the CLI writes: compact JSON with ordinary strings and numbers. It takes nothing that
//! `serde_json` refuses and gives the same values; whatever it does not care to read (a number that
//! no 64 bits hold, half a surrogate pair, great depth) it gives up on without saying why, and the
//! line is read again by `serde_json`, which says it. A test compares the two on whatever a fuzzer
//! can think of.

mod number;
mod string;
mod tagged;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::gave_up::GaveUp;
use super::raw::raw_name;
use number::Number;
use string::Text;

/// As deep as `serde_json` goes.
const DEEPEST: u8 = 127;

type Result<T> = std::result::Result<T, GaveUp>;

/// Reads one text.
pub(super) struct Parser<'de> {
    text: &'de str,
    at: usize,
    depth: u8,
    /// A string without its escapes.
    scratch: String,
}

impl<'de> Parser<'de> {
    pub(super) fn new(text: &'de str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            scratch: String::new(),
        }
    }

    /// Nothing but white space may be left.
    pub(super) fn end(&mut self) -> Result<()> {
        if self.peek() == 0 && self.at == self.text.len() {
            Ok(())
        } else {
            Err(GaveUp)
        }
    }

    /// The next byte that is no white space; 0 at the end.
    #[inline]
    fn peek(&mut self) -> u8 {
        match self.text.as_bytes().get(self.at) {
            Some(&byte) if byte > b' ' => byte,
            _ => self.peek_behind_space(),
        }
    }

    /// The CLI writes none, so this is not to be in anybody's way.
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
            Err(GaveUp)
        }
    }

    fn literal(&mut self, word: &str) -> Result<()> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(GaveUp)
        }
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(GaveUp)
        } else {
            Ok(())
        }
    }

    /// Goes over one value.
    fn skip(&mut self) -> Result<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' => self.skip_all(b'}', |parser| {
                if parser.peek() != b'"' {
                    return Err(GaveUp);
                }
                parser.string()?;
                parser.expect(b':')?;
                parser.skip()
            }),
            b'[' => self.skip_all(b']', Self::skip),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number().map(drop),
        }
    }

    fn skip_all(&mut self, close: u8, item: fn(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.deeper()?;
        if self.peek() != close {
            loop {
                item(self)?;
                match self.peek() {
                    b',' => self.at += 1,
                    byte if byte == close => break,
                    _ => return Err(GaveUp),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// The text of one value.
    fn raw(&mut self) -> Result<&'de str> {
        self.peek();
        let start = self.at;
        self.skip()?;
        self.text.get(start..self.at).ok_or(GaveUp)
    }

    fn map<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'{')?;
        self.members(false, |members| visitor.visit_map(members))
    }

    fn seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'[')?;
        self.members(false, |members| visitor.visit_seq(members))
    }

    /// The members of what has been opened; `begun` where one of them was read.
    #[inline]
    fn members<T>(
        &mut self,
        begun: bool,
        read: impl FnOnce(&mut Members<'_, 'de>) -> Result<T>,
    ) -> Result<T> {
        self.deeper()?;
        let mut members = Members {
            parser: self,
            begun,
            done: false,
        };
        // Not taken out and put in again: it may be big.
        let value = read(&mut members);
        // A visitor that has not read to the end has not read the value.
        if !members.done {
            return Err(GaveUp);
        }
        self.depth -= 1;
        value
    }
}

/// The members of an object, or of a list.
struct Members<'a, 'de> {
    parser: &'a mut Parser<'de>,
    begun: bool,
    done: bool,
}

impl Members<'_, '_> {
    /// Goes on to the next member; `false` at the end, which is taken.
    #[inline]
    fn next(&mut self, close: u8) -> Result<bool> {
        // Asked again after the end: what follows is not of this value.
        if self.done {
            return Ok(false);
        }
        let byte = self.parser.peek();
        if byte == close {
            self.parser.at += 1;
            self.done = true;
            return Ok(false);
        }
        if std::mem::replace(&mut self.begun, true) {
            if byte != b',' {
                return Err(GaveUp);
            }
            self.parser.at += 1;
        }
        Ok(true)
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = GaveUp;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        if self.parser.peek() != b'"' {
            return Err(GaveUp);
        }
        match self.parser.string()? {
            Text::Plain(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Text::Unescaped => seed.deserialize(self.parser.scratch.as_str().into_deserializer()),
        }
        .map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.parser.expect(b':')?;
        seed.deserialize(&mut *self.parser)
    }
}

impl<'de> SeqAccess<'de> for &mut Members<'_, 'de> {
    type Error = GaveUp;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.next(b']')? {
            seed.deserialize(&mut *self.parser).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A raw value, as `serde_json` hands it out: one member, whose value is the text.
struct RawMember<'de>(Option<&'de str>);

impl<'de> MapAccess<'de> for RawMember<'de> {
    type Error = GaveUp;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        seed.deserialize(BorrowedStrDeserializer::new(raw_name()))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let text = self.0.take().ok_or(GaveUp)?;
        seed.deserialize(BorrowedStrDeserializer::new(text))
    }
}

impl<'de> Deserializer<'de> for &mut Parser<'de> {
    type Error = GaveUp;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'"' => self.deserialize_str(visitor),
            b'{' => self.map(visitor),
            b'[' => self.seq(visitor),
            b't' => self.literal("true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self
                .literal("false")
                .and_then(|()| visitor.visit_bool(false)),
            b'n' => self.literal("null").and_then(|()| visitor.visit_unit()),
            _ => match self.number()? {
                Number::Unsigned(n) => visitor.visit_u64(n),
                Number::Signed(n) => visitor.visit_i64(n),
                Number::Float(n) => visitor.visit_f64(n),
            },
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek() != b'"' {
            return Err(GaveUp);
        }
        match self.string()? {
            Text::Plain(text) => visitor.visit_borrowed_str(text),
            Text::Unescaped => visitor.visit_str(&self.scratch),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek() == b'n' {
            self.literal("null")?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.map(visitor)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == raw_name() {
            visitor.visit_map(RawMember(Some(self.raw()?)))
        } else if tagged::is_key(name) {
            self.tagged(name, visitor)
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct struct enum identifier
    }
}

#[cfg(test)]
mod tests;
