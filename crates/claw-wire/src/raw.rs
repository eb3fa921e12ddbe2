//! The text of a value, from any deserializer.
//!
//! `serde_json` returns a raw value if it is asked for one by an internal name. claw finds out that name by asking.
//! Every other source (serde's own buffer under `flatten`, `tag`, `untagged`; another format) gives the value, which is
//! then written out again with its keys in order.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess,
    Visitor, value::Error as Plain,
};
use serde::ser::Serialize;
use serde_json::value::RawValue;

use crate::failed::Failed;

/// The text of a value, borrowed from the source if the source can lend it.
pub(crate) struct RawText<'de> {
    pub(crate) text: Cow<'de, str>,
    /// Whether the text is a piece of the source.
    pub(crate) is_lent: bool,
}

impl RawText<'_> {
    fn owned(text: String) -> Self {
        Self {
            text: Cow::Owned(text),
            is_lent: false,
        }
    }
}

impl<'de> Deserialize<'de> for RawText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(raw_name(), RawVisitor)
    }
}

struct RawVisitor;

impl RawVisitor {
    /// Writes a plain value.
    fn plain<'de, E: Error>(value: &(impl Serialize + ?Sized)) -> Result<RawText<'de>, E> {
        serde_json::to_string(value)
            .map(RawText::owned)
            .map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    /// Reads what `serde_json` gives: one entry, whose value is the text.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut key = map.next_key::<Text<'de>>()?;
        if key.as_ref().is_some_and(|Text(name)| name == raw_name()) {
            let Text(text) = map.next_value()?;
            let is_lent = matches!(text, Cow::Borrowed(_));
            return Ok(RawText { text, is_lent });
        }
        let mut object = String::from("{");
        while let Some(Text(name)) = key {
            if object.len() > 1 {
                object.push(',');
            }
            object.push_str(&Self::plain::<A::Error>(&name)?.text);
            object.push(':');
            object.push_str(&map.next_value::<RawText<'de>>()?.text);
            key = map.next_key()?;
        }
        object.push('}');
        Ok(RawText::owned(object))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = String::from("[");
        while let Some(item) = seq.next_element::<RawText<'de>>()? {
            if list.len() > 1 {
                list.push(',');
            }
            list.push_str(&item.text);
        }
        list.push(']');
        Ok(RawText::owned(list))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Self::plain(text)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Self::plain(&value)
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<Self::Value, E> {
        Self::plain(&n)
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<Self::Value, E> {
        Self::plain(&n)
    }

    fn visit_i128<E: Error>(self, n: i128) -> Result<Self::Value, E> {
        Self::plain(&n)
    }

    fn visit_u128<E: Error>(self, n: u128) -> Result<Self::Value, E> {
        Self::plain(&n)
    }

    fn visit_f64<E: Error>(self, n: f64) -> Result<Self::Value, E> {
        Self::plain(&n)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Self::plain(&())
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Self::plain(&())
    }
}

/// A text, borrowed if possible.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }
}

/// Returns the raw value of a text that is known to be valid.
pub(crate) fn boxed(text: &str) -> Box<RawValue> {
    Box::<RawValue>::deserialize(RawDeserializer(text))
        // It is asked for by the name, and answered as `serde_json` answers.
        .unwrap_or_else(|_| RawValue::NULL.to_owned())
}

struct RawDeserializer<'de>(&'de str);

impl<'de> Deserializer<'de> for RawDeserializer<'de> {
    type Error = Failed;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        visitor.visit_map(RawMember::new(self.0))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A raw value in the form that `serde_json` gives it: one member, whose value is the text.
pub(crate) struct RawMember<'de>(Option<&'de str>);

impl<'de> RawMember<'de> {
    pub(crate) fn new(text: &'de str) -> Self {
        Self(Some(text))
    }
}

impl<'de> MapAccess<'de> for RawMember<'de> {
    type Error = Failed;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Failed> {
        seed.deserialize(BorrowedStrDeserializer::new(raw_name()))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failed> {
        let text = self.0.take().ok_or(Failed)?;
        seed.deserialize(BorrowedStrDeserializer::new(text))
    }
}

/// Returns the name by which `serde_json` is asked for a raw value.
pub(crate) fn raw_name() -> &'static str {
    static NAME: OnceLock<&'static str> = OnceLock::new();
    NAME.get_or_init(|| {
        let mut name = "";
        // Fails on purpose after the name was read.
        let _ = <&RawValue>::deserialize(Listener(&mut name));
        name
    })
}

struct Listener<'a>(&'a mut &'static str);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Plain;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Plain> {
        *self.0 = name;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Plain> {
        IntoDeserializer::<Plain>::into_deserializer(()).deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
