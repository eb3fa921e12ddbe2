//! An object that its tag is told of before it is read.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use super::{GaveUp, Parser, Result, Text};

/// Whether a newtype's name is the key of a tag, which is how a union asks: types begin with a capital.
pub(super) fn is_key(name: &str) -> bool {
    name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
}

impl<'de> Parser<'de> {
    /// An object as an enum whose variant is the text of this key, wherever it stands. Without such
    /// a text it is no enum.
    pub(super) fn tagged<V: Visitor<'de>>(&mut self, key: &str, visitor: V) -> Result<V::Value> {
        if self.peek() != b'{' {
            return Err(GaveUp);
        }
        let start = self.at;
        self.at += 1;
        let mut is_first = true;
        let tag = loop {
            // No other key, or none at all.
            if self.peek() != b'"' {
                break None;
            }
            let is_tag = matches!(self.string()?, Text::Plain(text) if text == key);
            self.expect(b':')?;
            if is_tag {
                break match self.peek() {
                    b'"' => self.string()?.plain(),
                    _ => None,
                };
            }
            self.skip()?;
            if self.peek() == b',' {
                self.at += 1;
            }
            is_first = false;
        };
        let Some(tag) = tag else {
            self.at = start;
            return visitor.visit_newtype_struct(self);
        };
        if !is_first {
            self.at = start;
        }
        visitor.visit_enum(Tagged {
            parser: self,
            start,
            tag,
        })
    }
}

/// An object whose tag is known. The parser stands behind the tag where that came first, otherwise
/// before the object.
struct Tagged<'a, 'de> {
    parser: &'a mut Parser<'de>,
    start: usize,
    tag: &'de str,
}

impl<'de> EnumAccess<'de> for Tagged<'_, 'de> {
    type Error = GaveUp;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.tag))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Tagged<'_, 'de> {
    type Error = GaveUp;

    fn unit_variant(self) -> Result<()> {
        Err(GaveUp)
    }

    /// The whole object.
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        self.parser.at = self.start;
        seed.deserialize(self.parser)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(GaveUp)
    }

    /// What is left to read: the tag is among it only where it did not come first.
    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if self.parser.at == self.start {
            Deserializer::deserialize_map(self.parser, visitor)
        } else {
            self.parser.members(true, |rest| visitor.visit_map(rest))
        }
    }
}
