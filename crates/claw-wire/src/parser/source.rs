//! The parser as a deserializer for serde, for values that have no type of the protocol: numbers,
//! trees.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::number::Number;
use super::{Failed, Parser, Result, Text};
use crate::raw::{RawMember, raw_name};

impl<'de> Parser<'de> {
    fn map<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'{')?;
        self.members(|members| visitor.visit_map(members))
    }

    fn seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'[')?;
        self.members(|members| visitor.visit_seq(members))
    }

    /// Gives serde the members of the open object or list.
    #[inline]
    fn members<T>(&mut self, read: impl FnOnce(&mut Members<'_, 'de>) -> Result<T>) -> Result<T> {
        self.descend()?;
        let mut members = Members {
            parser: self,
            begun: false,
            done: false,
        };
        // Not taken out and put in again: it may be big.
        let value = read(&mut members);
        // A visitor that has not read to the end has not read the value.
        if !members.done {
            return Err(Failed);
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
    /// Moves to the next member. Returns `false` at the end, after reading the bracket.
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
                return Err(Failed);
            }
            self.parser.at += 1;
        }
        Ok(true)
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Failed;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        if self.parser.peek() != b'"' {
            return Err(Failed);
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
    type Error = Failed;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.next(b']')? {
            seed.deserialize(&mut *self.parser).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl<'de> Deserializer<'de> for &mut Parser<'de> {
    type Error = Failed;

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
            return Err(Failed);
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
            visitor.visit_map(RawMember::new(self.raw()?))
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
