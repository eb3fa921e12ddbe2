//! Reading a union: classify by the tags, pass the map on.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};

use super::classify::{Found, Sub, Tags};
use super::raw::{RawText, Text};
use crate::Json;

/// An enum of `Wire` structs.
pub(crate) trait Union: Sized {
    /// The tags of each variant, in order; empty for none.
    const TABLE: &'static [Tags];

    /// The key that decides (`type`, or `subtype` inside control frames).
    const KEY: &'static str = Self::TABLE[0][0].0;

    /// The key that decides where the first does not. Empty where no variant has two.
    const SUB_KEY: &'static str = sub_key(Self::TABLE);

    /// The variant of these tags.
    fn find(tag: &str, sub: Sub<'_>) -> Found;

    /// Reads a variant's struct.
    fn read<'de, A: MapAccess<'de>>(variant: usize, map: A) -> Result<Self, A::Error>;

    /// Keeps what no variant takes.
    fn unknown(json: Json) -> Self;
}

const fn sub_key(table: &[Tags]) -> &'static str {
    let mut i = 0;
    while i < table.len() {
        if table[i].len() > 1 {
            return table[i][1].0;
        }
        i += 1;
    }
    ""
}

/// The visitor of every union.
pub(crate) struct UnionVisitor<U>(PhantomData<U>);

impl<U> UnionVisitor<U> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, U: Union> Visitor<'de> for UnionVisitor<U> {
    type Value = U;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the key `{}`", U::KEY)
    }

    /// Reads on until the tags decide; what was read before them is kept as text and read again
    /// by the struct.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<U, A::Error> {
        let mut seen = Pairs::default();
        let mut tag: Option<Cow<'de, str>> = None;
        let mut sub: Option<Cow<'de, str>> = None;
        let mut odd_sub = false;
        while let Some(Text(key)) = map.next_key()? {
            let RawText(raw) = map.next_value()?;
            let is_tag = key == U::KEY;
            let is_sub = !is_tag && !U::SUB_KEY.is_empty() && key == U::SUB_KEY;
            if is_tag {
                let Some(text) = unquote(&raw) else {
                    // A tag that is no text names no variant.
                    seen.push(key, raw);
                    return finish::<U, A>(None, seen, map);
                };
                tag = Some(text);
            } else if is_sub {
                sub = unquote(&raw);
                odd_sub = sub.is_none();
            }
            seen.push(key, raw);
            let Some(known) = tag.as_deref().filter(|_| is_tag || is_sub) else { continue };
            let known_sub = match &sub {
                Some(sub) => Sub::Is(sub),
                None if odd_sub => Sub::Missing,
                None => Sub::Unread,
            };
            match U::find(known, known_sub) {
                Found::NeedsSub => {}
                Found::Variant { index, .. } => return finish::<U, A>(Some(index), seen, map),
                Found::Nothing => return finish::<U, A>(None, seen, map),
            }
        }
        let variant = match tag.as_deref().map(|tag| U::find(tag, Sub::Missing)) {
            Some(Found::Variant { index, .. }) => Some(index),
            _ => None,
        };
        finish::<U, A>(variant, seen, map)
    }
}

fn finish<'de, U: Union, A: MapAccess<'de>>(
    variant: Option<usize>,
    seen: Pairs<'de>,
    map: A,
) -> Result<U, A::Error> {
    let mut chain = Chain { seen: seen.into_iter(), value: None, rest: map };
    match variant {
        Some(variant) => U::read(variant, chain),
        None => rebuild(&mut chain).map(U::unknown),
    }
}

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

/// The text inside a JSON string.
fn unquote<'de>(raw: &Cow<'de, str>) -> Option<Cow<'de, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    Some(match raw {
        Cow::Borrowed(raw) => Cow::Borrowed(&raw[1..raw.len() - 1]),
        Cow::Owned(_) => Cow::Owned(inner.to_owned()),
    })
}

type Pair<'de> = (Cow<'de, str>, Cow<'de, str>);

/// Keys and values in order. The first needs no allocation: mostly it is the tag, and the only one.
#[derive(Default)]
struct Pairs<'de> {
    first: Option<Pair<'de>>,
    more: Vec<Pair<'de>>,
}

impl<'de> Pairs<'de> {
    fn push(&mut self, key: Cow<'de, str>, value: Cow<'de, str>) {
        if self.first.is_none() {
            self.first = Some((key, value));
        } else {
            self.more.push((key, value));
        }
    }

    fn into_iter(self) -> PairsIter<'de> {
        self.first.into_iter().chain(self.more)
    }
}

type PairsIter<'de> = std::iter::Chain<std::option::IntoIter<Pair<'de>>, std::vec::IntoIter<Pair<'de>>>;

/// A map that starts with pairs read before.
struct Chain<'de, A> {
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
                .map_err(A::Error::custom),
            Some(Cow::Owned(raw)) => seed
                .deserialize(&mut serde_json::Deserializer::from_reader(raw.as_bytes()))
                .map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}
