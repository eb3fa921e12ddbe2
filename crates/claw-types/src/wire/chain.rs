//! Pairs that were read ahead, and the rest of their map.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Error, MapAccess};

use super::raw::{RawText, Text};
use crate::Json;

/// The whole of an object that nobody knows, as text again.
pub(crate) fn rebuild<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Json, A::Error> {
    let mut text = String::from("{");
    while let Some(Text(key)) = map.next_key()? {
        let RawText(value) = map.next_value()?;
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(&key).map_err(A::Error::custom)?);
        text.push(':');
        text.push_str(&value);
    }
    text.push('}');
    Json::from_text(text).map_err(A::Error::custom)
}

type Pair<'de> = (Cow<'de, str>, Cow<'de, str>);

/// Keys and values in order. The first needs no allocation: mostly it is the tag, and the only one.
#[derive(Default)]
pub(super) struct Pairs<'de> {
    first: Option<Pair<'de>>,
    more: Vec<Pair<'de>>,
}

impl<'de> Pairs<'de> {
    pub(super) fn push(&mut self, key: Cow<'de, str>, value: Cow<'de, str>) {
        if self.first.is_none() {
            self.first = Some((key, value));
        } else {
            self.more.push((key, value));
        }
    }

    /// A map of these pairs, and then those of `rest`.
    pub(super) fn then<A>(self, rest: A) -> Chain<'de, A> {
        Chain {
            seen: self.first.into_iter().chain(self.more),
            value: None,
            rest,
        }
    }
}

/// Reads on to the first key that is wanted: that key, and the whole map again.
pub(crate) fn until<'de, A: MapAccess<'de>>(
    mut map: A,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(Option<String>, Chain<'de, A>), A::Error> {
    let mut seen = Pairs::default();
    let mut found = None;
    while found.is_none() {
        let Some(Text(key)) = map.next_key()? else {
            break;
        };
        let RawText(value) = map.next_value()?;
        found = is_wanted(&key).then(|| key.to_string());
        seen.push(key, value);
    }
    Ok((found, seen.then(map)))
}

type PairsIter<'de> =
    std::iter::Chain<std::option::IntoIter<Pair<'de>>, std::vec::IntoIter<Pair<'de>>>;

/// A map that starts with pairs read before.
pub(crate) struct Chain<'de, A> {
    seen: PairsIter<'de>,
    value: Option<Cow<'de, str>>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Chain<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.seen.next() {
            Some((key, value)) => {
                self.value = Some(value);
                match key {
                    Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
                    Cow::Owned(key) => seed.deserialize(StrDeserializer::new(&key)),
                }
                .map(Some)
            }
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(Cow::Borrowed(raw)) => seed
                .deserialize(&mut serde_json::Deserializer::from_str(raw))
                .map_err(|error| unplaced(&error)),
            Some(Cow::Owned(raw)) => seed
                .deserialize(&mut serde_json::Deserializer::from_reader(raw.as_bytes()))
                .map_err(|error| unplaced(&error)),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// An error without its line and column, which count from the start of the value that was read
/// again. The source puts in how far it has read.
#[cold]
fn unplaced<E: Error>(error: &serde_json::Error) -> E {
    E::custom(crate::error::unplaced(error))
}
