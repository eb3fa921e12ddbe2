//! Reading one object, key by key.

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use serde::de::{Deserialize, DeserializeSeed, MapAccess, Unexpected, Visitor};

use super::path::prefix;
use crate::Json;

/// Where a key stands among a struct's tags and fields.
pub(crate) trait Keys {
    fn index(key: &str) -> Option<u16>;
}

/// A struct that reads itself from a map.
pub(crate) trait Object<'de>: Sized + Keys {
    /// What an error says was expected.
    const EXPECTING: &'static str;

    /// Reads the rest of a map; `tags_read` where the struct's tags were read, and are its own.
    fn from_map<A: MapAccess<'de>, P: Place<Self>>(map: A, tags_read: bool) -> Result<P, A::Error>;
}

/// Where a struct is to stand. Big ones are made there, since every move costs: the room is there before
/// the struct is.
pub(crate) trait Place<T> {
    type Room;
    fn room() -> Self::Room;
    fn put(room: Self::Room, value: T) -> Self;
}

impl<T> Place<T> for T {
    type Room = ();

    #[inline]
    fn room() {}

    #[inline]
    fn put((): (), value: T) -> Self {
        value
    }
}

impl<T> Place<T> for Box<T> {
    type Room = Box<MaybeUninit<T>>;

    #[inline]
    fn room() -> Self::Room {
        Self::new_uninit()
    }

    #[inline]
    fn put(room: Self::Room, value: T) -> Self {
        Box::write(room, value)
    }
}

/// The visitor of every `Wire` struct.
pub(crate) struct ObjectVisitor<T>(PhantomData<T>);

impl<T> ObjectVisitor<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object ({})", T::EXPECTING)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_map::<A, T>(map, false)
    }
}

/// A key, found or not. Only a key that is not known costs an allocation.
pub(crate) enum Key {
    Known(u16),
    Other(Box<str>),
}

/// Not generic: it is compiled once a source, not once a struct.
struct KeySeed(fn(&str) -> Option<u16>);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    #[inline]
    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok((self.0)(key).map_or_else(|| Key::Other(key.into()), Key::Known))
    }
}

/// The next key of a `T`.
#[inline]
pub(crate) fn next_key<'de, T: Keys, A: MapAccess<'de>>(
    map: &mut A,
) -> Result<Option<Key>, A::Error> {
    map.next_key_seed(KeySeed(T::index))
}

/// The value of a known key; an error names the key.
#[inline]
pub(crate) fn value<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    map: &mut A,
    key: &'static str,
) -> Result<T, A::Error> {
    let value = map.next_value();
    match &value {
        // Not taken out and put in again: it may be big.
        Ok(_) => value,
        Err(error) => Err(prefix(key, error)),
    }
}

/// Keeps a key that the struct does not know, with its value as it stands.
pub(crate) fn keep<'de, A: MapAccess<'de>>(
    map: &mut A,
    pairs: &mut Vec<(Box<str>, Json)>,
    key: Box<str>,
) -> Result<(), A::Error> {
    let value = map.next_value().map_err(|error| prefix(&key, &error))?;
    pairs.push((key, value));
    Ok(())
}

/// A null that stood on an optional field: kept, so that it is sent on.
#[cold]
pub(crate) fn null_pair(key: &str) -> (Box<str>, Json) {
    (key.into(), Json::null())
}

/// Drops the nulls whose fields were set since: of a key that stands twice, the last counts.
#[cold]
#[inline(never)]
pub(crate) fn forget(pairs: &mut Vec<(Box<str>, Json)>, stays: &dyn Fn(&str) -> bool) {
    pairs.retain(|(key, _)| stays(key));
}

/// Refuses a text that is another struct's tag: one that stands twice may say first this, then that.
pub(crate) fn refuse<E: serde::de::Error>(
    key: &str,
    value: Option<&impl AsRef<str>>,
    never: &'static str,
) -> Result<(), E> {
    if value.is_some_and(|value| value.as_ref() == never) {
        let error = E::invalid_value(Unexpected::Str(never), &"another one");
        Err(prefix(key, &error))
    } else {
        Ok(())
    }
}

/// Reads a tag's value and refuses any but `expected`.
pub(crate) fn expect_tag<'de, A: MapAccess<'de>>(
    map: &mut A,
    key: &'static str,
    expected: &'static str,
) -> Result<(), A::Error> {
    map.next_value_seed(ExpectTag(expected))
        .map_err(|error| prefix(key, &error))
}

struct ExpectTag(&'static str);

impl<'de> DeserializeSeed<'de> for ExpectTag {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for ExpectTag {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }

    fn visit_str<E: serde::de::Error>(self, tag: &str) -> Result<(), E> {
        if tag == self.0 {
            Ok(())
        } else {
            Err(E::invalid_value(Unexpected::Str(tag), &self))
        }
    }
}
