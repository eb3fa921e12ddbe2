//! A value as it stands in the source, from any deserializer.
//!
//! `serde_json`'s raw value is asked for by a name that is its own business. Both types here learn
//! it by being asked: a deserializer that wraps another sees the name go by.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::{
    Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, Visitor, value::Error as Plain,
};
use serde_json::Value;
use serde_json::value::RawValue;

/// A raw value of its own, for [`crate::Json`].
pub(crate) fn owned_raw<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Box<RawValue>, D::Error> {
    Box::<RawValue>::deserialize(Relay(deserializer))
}

/// Hands the question for a raw value on; where the answer is serde's own buffer (under `flatten`,
/// `tag`, `untagged`), which knows no raw values, writes the value out again.
struct Relay<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Relay<D> {
    type Error = D::Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0
            .deserialize_newtype_struct(name, RelayVisitor { name, visitor })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct RelayVisitor<V> {
    name: &'static str,
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for RelayVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(map)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let text = Value::deserialize(value)?.to_string();
        serde_json::Deserializer::from_reader(text.as_bytes())
            .deserialize_newtype_struct(self.name, self.visitor)
            .map_err(D::Error::custom)
    }
}

/// A value's text, borrowed from the source where the source can lend it.
pub(crate) struct RawText<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for RawText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(raw_name(), RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    /// `serde_json` answers with one entry, whose value is the text.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        map.next_key::<AnyKey>()?;
        map.next_value::<Text<'de>>().map(|text| RawText(text.0))
    }

    /// Everybody else (serde's own buffer under `flatten`, `tag`, `untagged`) hands the value over.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        let value = Value::deserialize(value)?;
        Ok(RawText(Cow::Owned(value.to_string())))
    }
}

struct AnyKey;

impl<'de> Deserialize<'de> for AnyKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(|_| Self)
    }
}

/// Text, borrowed where it can be.
pub(crate) struct Text<'de>(pub(crate) Cow<'de, str>);

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

/// The name under which a raw value is asked for.
pub(super) fn raw_name() -> &'static str {
    static NAME: OnceLock<&'static str> = OnceLock::new();
    NAME.get_or_init(|| {
        let mut name = "";
        // Fails on purpose once the name has gone by.
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
