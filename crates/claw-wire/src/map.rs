//! Objects with keys that are data, in the order of the wire.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::path::prefix;

/// A JSON object whose keys are data, such as names of models or servers. The keys keep the order in which they were
/// read.
#[derive(Clone)]
pub struct Map<T>(Vec<(String, T)>);

impl<T> Map<T> {
    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the map has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a key. If the object had the same key twice, this is the last value.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, value)| value)
    }

    /// Creates a map from pairs. Of a duplicate key, the last value counts.
    pub(crate) fn of_pairs(mut pairs: Vec<(String, T)>) -> Self {
        keep_last(&mut pairs);
        Self(pairs)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: impl Into<String>, value: T) {
        let key = key.into();
        match self.0.iter_mut().find(|(k, _)| *k == key) {
            Some(pair) => pair.1 = value,
            None => self.0.push((key, value)),
        }
    }

    /// Returns an iterator over the keys and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl<T> Map<T> {
    /// Creates a map from keys and values. If a key occurs twice, the last value counts. Meant for claw-types.
    #[doc(hidden)]
    pub fn of_values(pairs: impl IntoIterator<Item = (impl Into<String>, impl Into<T>)>) -> Self {
        let pairs = pairs.into_iter();
        pairs.map(|(key, value)| (key, value.into())).collect()
    }
}

impl Map<Option<String>> {
    /// Creates a map from keys and texts. If a key occurs twice, the last text counts. Meant for claw-types.
    #[doc(hidden)]
    pub fn of_texts(
        pairs: impl IntoIterator<Item = (impl Into<String>, impl IntoOptionalText)>,
    ) -> Self {
        let pairs = pairs.into_iter();
        pairs
            .map(|(key, value)| (key, value.into_optional_text()))
            .collect()
    }
}

/// A type that can be converted into an optional text: a text, or an `Option` of a text.
pub trait IntoOptionalText {
    /// Converts the value into an optional text.
    fn into_optional_text(self) -> Option<String>;
}

macro_rules! optional_text {
    ($($text:ty),+) => {$(
        impl IntoOptionalText for $text {
            fn into_optional_text(self) -> Option<String> {
                Some(self.into())
            }
        }

        impl IntoOptionalText for Option<$text> {
            fn into_optional_text(self) -> Option<String> {
                self.map(Into::into)
            }
        }
    )+};
}

optional_text!(&str, String, &String, Cow<'_, str>, Box<str>);

impl<T> IntoIterator for Map<T> {
    type Item = (String, T);
    type IntoIter = <Vec<(String, T)> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Map<T> {
    type Item = (&'a str, &'a T);
    type IntoIter =
        std::iter::Map<std::slice::Iter<'a, (String, T)>, fn(&'a (String, T)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Two maps are equal if they have the same keys with the same values, in any order.
impl<T: PartialEq> PartialEq for Map<T> {
    fn eq(&self, other: &Self) -> bool {
        same_pairs(&self.0, &other.0)
    }
}

impl<T: fmt::Debug> fmt::Debug for Map<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, T> FromIterator<(K, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value));
        Self::of_pairs(pairs.collect())
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = Map<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<T>, A::Error> {
        let mut pairs: Vec<(String, T)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match map.next_value() {
                Ok(value) => pairs.push((key, value)),
                Err(error) => return Err(prefix(&key, &error)),
            }
        }
        Ok(Map::of_pairs(pairs))
    }
}

/// The number of keys up to which they are compared pair by pair. Above it a set is faster, and a hostile line cannot
/// make the comparison quadratic.
const FEW: usize = 16;

/// Whether both have the same keys with the same values, in any order. No key may occur twice.
pub(crate) fn same_pairs<K: Eq + Hash, V: PartialEq>(a: &[(K, V)], b: &[(K, V)]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.len() <= FEW {
        return a.iter().all(|pair| b.contains(pair));
    }
    let b: HashMap<&K, &V> = b.iter().map(|(key, value)| (key, value)).collect();
    a.iter().all(|(key, value)| b.get(key) == Some(&value))
}

/// Removes all but the last pair of each key.
pub(crate) fn keep_last<K: Eq + Hash + Clone, V>(pairs: &mut Vec<(K, V)>) {
    if !has_duplicates(pairs) {
        return;
    }
    let mut last = HashMap::with_capacity(pairs.len());
    for (at, (key, _)) in pairs.iter().enumerate() {
        last.insert(key.clone(), at);
    }
    let mut at = 0;
    pairs.retain(|(key, _)| {
        at += 1;
        last.get(key) == Some(&(at - 1))
    });
}

fn has_duplicates<K: Eq + Hash, V>(pairs: &[(K, V)]) -> bool {
    if pairs.len() <= FEW {
        return (1..pairs.len()).any(|i| pairs[..i].iter().any(|(key, _)| *key == pairs[i].0));
    }
    let mut seen = HashSet::with_capacity(pairs.len());
    !pairs.iter().all(|(key, _)| seen.insert(key))
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Map<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Map", T::schema_name()).into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let value = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "object", "additionalProperties": value })
    }
}
