//! Reading a union: classify by the tags, pass the map on.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess, Visitor,
};

use super::chain::{Pairs, rebuild};
use super::classify::{Found, Sub, Tags};
use super::raw::{RawText, Text};
use crate::Json;

/// An enum of `Wire` structs.
pub(crate) trait Union: Sized {
    /// The tags of each variant, in order.
    const TABLE: &'static [Tags];

    /// The key that decides (`type`, or `subtype` inside control frames).
    const KEY: &'static str = Self::TABLE[0][0].0;

    /// The key that decides where the first does not. Empty where no variant has two.
    const SUB_KEY: &'static str = sub_key(Self::TABLE);

    /// The variant of these tags.
    fn find(tag: &str, sub: Sub<'_>) -> Found;

    /// Reads a variant's struct; `tags_read` where its tags were, and are its own.
    fn read<'de, A: MapAccess<'de>>(
        variant: usize,
        map: A,
        tags_read: bool,
    ) -> Result<Self, A::Error>;

    /// Keeps what no variant takes.
    fn unknown(json: Json) -> Self;
}

/// The second tag's key, in a table where a variant has two.
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

/// Reads a union from any deserializer.
///
/// It is asked for as a newtype that is named as the deciding key. A deserializer that can look ahead
/// (claw's own) answers with an enum whose variant is the tag, wherever the tag stands; every other one
/// hands itself over, and is asked for a map.
pub(crate) fn read_union<'de, U: Union, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<U, D::Error> {
    deserializer.deserialize_newtype_struct(U::KEY, UnionVisitor(PhantomData))
}

/// The visitor of every union.
struct UnionVisitor<U>(PhantomData<U>);

impl<'de, U: Union> Visitor<'de> for UnionVisitor<U> {
    type Value = U;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the key `{}`", U::KEY)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<U, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<U, A::Error> {
        match tagged.variant_seed(Find::<U>(PhantomData))? {
            (Found::Variant { index, .. }, object) => {
                let _level = Level::enter()?;
                object.struct_variant(&[], ReadVariant::<U>::new(index, true))
            }
            // A second tag decides, or there is no such variant.
            (_, object) => object.newtype_variant_seed(self),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<U, A::Error> {
        let _level = Level::enter()?;
        let mut tags = ReadTags::<U>::new();
        let mut seen = Pairs::default();
        match map.next_key_seed(FirstKeySeed(U::KEY))? {
            None => {}
            // The usual case: the first key decides, and nothing has to be read twice.
            Some(FirstKey::Tag) => match Tag::read::<U>(map.next_value::<RawText<'de>>()?.0) {
                Tag::Variant(index) => return U::read(index, map, true),
                Tag::Other(raw) => {
                    tags.see(U::KEY, &raw);
                    seen.push(U::KEY.into(), raw);
                }
            },
            Some(FirstKey::Other(key)) => {
                let RawText(raw) = map.next_value()?;
                tags.see(&key, &raw);
                seen.push(key, raw);
            }
        }
        later(tags, seen, map)
    }
}

/// The whole object again, for one who looks for the tags himself.
impl<'de, U: Union> DeserializeSeed<'de> for UnionVisitor<U> {
    type Value = U;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<U, D::Error> {
        deserializer.deserialize_map(self)
    }
}

/// What the deciding tag alone says.
struct Find<U>(PhantomData<U>);

impl<'de, U: Union> DeserializeSeed<'de> for Find<U> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, tag: D) -> Result<Found, D::Error> {
        tag.deserialize_str(self)
    }
}

impl<U: Union> Visitor<'_> for Find<U> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag")
    }

    fn visit_str<E>(self, tag: &str) -> Result<Found, E> {
        Ok(U::find(tag, Sub::Unread))
    }
}

/// Reads an object as one variant.
pub(super) struct ReadVariant<U> {
    variant: usize,
    tags_read: bool,
    union: PhantomData<U>,
}

impl<U> ReadVariant<U> {
    pub(super) fn new(variant: usize, tags_read: bool) -> Self {
        Self {
            variant,
            tags_read,
            union: PhantomData,
        }
    }
}

impl<'de, U: Union> Visitor<'de> for ReadVariant<U> {
    type Value = U;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<U, A::Error> {
        U::read(self.variant, map, self.tags_read)
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

/// Reads on until the tags decide, and then the whole object again.
fn later<'de, U: Union, A: MapAccess<'de>>(
    mut tags: ReadTags<U>,
    mut seen: Pairs<'de>,
    mut map: A,
) -> Result<U, A::Error> {
    while !tags.decided() {
        let Some(Text(key)) = map.next_key()? else {
            break;
        };
        let RawText(raw) = map.next_value()?;
        tags.see(&key, &raw);
        seen.push(key, raw);
    }
    let object = rebuild(&mut seen.then(map))?;
    match tags.variant() {
        Some(index) => read_text(object.as_str(), ReadVariant::<U>::new(index, false)),
        None => Ok(U::unknown(object)),
    }
}

/// Reads an object again, from its text: a struct that had to be compiled for what was read ahead as well
/// would be compiled twice. The place in an error is the source's, which puts in how far it has read.
fn read_text<'de, V: Visitor<'de>, E: Error>(object: &'de str, visitor: V) -> Result<V::Value, E> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    Deserializer::deserialize_map(&mut deserializer, visitor)
        .map_err(|error| E::custom(crate::error::unplaced(&error)))
}

/// The tags of an object, as far as they were read. What decides first holds: another tag after it
/// is the struct's to refuse.
pub(crate) struct ReadTags<U> {
    tag: Option<String>,
    sub: Option<String>,
    /// The second tag is no text.
    odd_sub: bool,
    found: Option<Found>,
    union: PhantomData<U>,
}

impl<U: Union> ReadTags<U> {
    pub(crate) fn new() -> Self {
        Self {
            tag: None,
            sub: None,
            odd_sub: false,
            found: None,
            union: PhantomData,
        }
    }

    pub(crate) fn see(&mut self, key: &str, raw: &str) {
        if key == U::KEY {
            self.tag = unquote(raw);
            if self.tag.is_none() {
                // A tag that is no text names no variant.
                self.found = Some(Found::Nothing);
            }
        } else if !U::SUB_KEY.is_empty() && key == U::SUB_KEY {
            self.sub = unquote(raw);
            self.odd_sub = self.sub.is_none();
        } else {
            return;
        }
        if let Some(tag) = &self.tag {
            let sub = match &self.sub {
                Some(sub) => Sub::Is(sub),
                None if self.odd_sub => Sub::Missing,
                None => Sub::Unread,
            };
            self.found = Some(U::find(tag, sub)).filter(|found| *found != Found::NeedsSub);
        }
    }

    /// Whether the tags decide already.
    pub(crate) fn decided(&self) -> bool {
        self.found.is_some()
    }

    /// The variant, when the keys decided or there are no more.
    pub(crate) fn variant(&self) -> Option<usize> {
        let undecided = || self.tag.as_deref().map(|tag| U::find(tag, Sub::Missing));
        match self.found.or_else(undecided) {
            Some(Found::Variant { index, .. }) => Some(index),
            _ => None,
        }
    }
}

/// The text inside a JSON string; `None` for any other value.
fn unquote(raw: &str) -> Option<String> {
    if raw.starts_with('"') {
        serde_json::from_str(raw).ok()
    } else {
        None
    }
}

/// Tells the deciding key from any other.
enum FirstKey<'de> {
    Tag,
    Other(Cow<'de, str>),
}

struct FirstKeySeed(&'static str);

impl<'de> DeserializeSeed<'de> for FirstKeySeed {
    type Value = FirstKey<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de> Visitor<'de> for FirstKeySeed {
    type Value = FirstKey<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(if key == self.0 {
            FirstKey::Tag
        } else {
            FirstKey::Other(key.into())
        })
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(if key == self.0 {
            FirstKey::Tag
        } else {
            FirstKey::Other(key.to_owned().into())
        })
    }
}

/// What a tag that came first says.
enum Tag<'de> {
    Variant(usize),
    /// Not enough, or nothing known: the tag's JSON.
    Other(Cow<'de, str>),
}

impl<'de> Tag<'de> {
    fn read<U: Union>(raw: Cow<'de, str>) -> Self {
        // A tag with escapes, or one that is no text, is looked at by whoever reads on.
        let text = raw
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        match text.map(|tag| U::find(tag, Sub::Unread)) {
            Some(Found::Variant { index, .. }) => Self::Variant(index),
            _ => Self::Other(raw),
        }
    }
}
