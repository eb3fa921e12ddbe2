//! Reading a union: classify by the tags, pass the map on.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::classify::{Found, Sub, Tags};
use super::object::Start;
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
    fn read<'de, A: MapAccess<'de>>(
        variant: usize,
        map: A,
        start: Start<'_>,
    ) -> Result<Self, A::Error>;

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
        let _level = Level::enter()?;
        let mut seen = Pairs::default();
        let mut deciding = Deciding::<U>::default();
        while let Some(Text(key)) = map.next_key()? {
            let RawText(raw) = map.next_value()?;
            let decided = deciding.see(&key, &raw);
            seen.push(key, raw);
            match decided {
                None => {}
                // The usual case: the first key decides, and nothing has to be read twice.
                Some(Some(index)) if seen.is_only() => {
                    return U::read(index, map, Start::TAGS_READ);
                }
                Some(variant) => return finish::<U, A>(variant, seen, map),
            }
        }
        finish::<U, A>(deciding.end(), seen, map)
    }
}

/// How deep unions may stand in each other; `serde_json` stops tagged ones at about the same depth.
const DEEPEST: u8 = 64;

thread_local! {
    static DEPTH: Cell<u8> = const { Cell::new(0) };
}

/// One union inside another. What is read a second time is read by a deserializer of its own, whose
/// count of levels starts anew: without this one a hostile line could exhaust the stack.
struct Level;

impl Level {
    fn enter<E: Error>() -> Result<Self, E> {
        let depth = DEPTH.get();
        if depth >= DEEPEST {
            return Err(E::custom("recursion limit exceeded"));
        }
        DEPTH.set(depth + 1);
        Ok(Self)
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Finds the variant while the keys go by. What decides first holds: another tag after it is the
/// struct's to refuse.
pub(crate) struct Deciding<'de, U> {
    tag: Option<Cow<'de, str>>,
    sub: Option<Cow<'de, str>>,
    odd_sub: bool,
    union: PhantomData<U>,
}

impl<U> Default for Deciding<'_, U> {
    fn default() -> Self {
        Self {
            tag: None,
            sub: None,
            odd_sub: false,
            union: PhantomData,
        }
    }
}

impl<'de, U: Union> Deciding<'de, U> {
    /// Takes a key and its value's text; the variant (`None` for none) once it is sure.
    #[expect(clippy::option_option, reason = "one for sure, one for the variant")]
    #[expect(
        clippy::ptr_arg,
        reason = "what the source lends for longer is kept so"
    )]
    pub(crate) fn see(&mut self, key: &str, raw: &Cow<'de, str>) -> Option<Option<usize>> {
        if key == U::KEY {
            match unquote(raw) {
                Some(tag) => self.tag = Some(tag),
                // A tag that is no text names no variant.
                None => return Some(None),
            }
        } else if !U::SUB_KEY.is_empty() && key == U::SUB_KEY {
            self.sub = unquote(raw);
            self.odd_sub = self.sub.is_none();
        } else {
            return None;
        }
        let sub = match &self.sub {
            Some(sub) => Sub::Is(sub),
            None if self.odd_sub => Sub::Missing,
            None => Sub::Unread,
        };
        match U::find(self.tag.as_deref()?, sub) {
            Found::NeedsSub => None,
            Found::Variant { index, .. } => Some(Some(index)),
            Found::Nothing => Some(None),
        }
    }

    /// The variant of an object that was read to its end, undecided.
    pub(crate) fn end(self) -> Option<usize> {
        match U::find(self.tag.as_deref()?, Sub::Missing) {
            Found::Variant { index, .. } => Some(index),
            _ => None,
        }
    }
}

/// Reads an object as one variant.
pub(crate) struct ReadVariant<'a, U> {
    variant: usize,
    start: Start<'a>,
    union: PhantomData<U>,
}

impl<'a, U> ReadVariant<'a, U> {
    pub(crate) fn new(variant: usize, start: Start<'a>) -> Self {
        Self {
            variant,
            start,
            union: PhantomData,
        }
    }
}

impl<'de, U: Union> DeserializeSeed<'de> for ReadVariant<'_, U> {
    type Value = U;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<U, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, U: Union> Visitor<'de> for ReadVariant<'_, U> {
    type Value = U;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<U, A::Error> {
        U::read(self.variant, map, self.start)
    }
}

fn finish<'de, U: Union, A: MapAccess<'de>>(
    variant: Option<usize>,
    seen: Pairs<'de>,
    map: A,
) -> Result<U, A::Error> {
    let mut chain = Chain {
        seen: seen.into_iter(),
        value: None,
        rest: map,
    };
    match variant {
        Some(variant) => U::read(variant, chain, Start::default()),
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

    /// Whether there is one pair.
    fn is_only(&self) -> bool {
        self.more.is_empty()
    }

    fn into_iter(self) -> PairsIter<'de> {
        self.first.into_iter().chain(self.more)
    }
}

type PairsIter<'de> =
    std::iter::Chain<std::option::IntoIter<Pair<'de>>, std::vec::IntoIter<Pair<'de>>>;

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
