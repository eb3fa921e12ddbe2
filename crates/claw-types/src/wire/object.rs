//! Reading one object, key by key.

use std::mem::MaybeUninit;

use serde::de::Unexpected;

use super::classify::Tags;
use super::gave_up::GaveUp;
use super::parser::Parser;
use super::read::{Read, Slot};
use crate::{Extra, Json};

/// What a struct's object is made of.
pub(crate) struct Shape {
    /// The struct's name.
    pub(crate) name: &'static str,
    pub(crate) tags: Tags,
    /// The fields, in order.
    pub(crate) fields: &'static [(&'static str, Need)],
}

/// How a field may stand in its object.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// Always there. Where it may be null, the type says so.
    Required,
    /// The same; never this text, which another struct has as its tag.
    RequiredBut(&'static str),
    /// Absent, or there; a null is kept beside it.
    Optional,
    /// Absent, null or there.
    Tri,
}

/// What a key is to a struct.
pub(crate) enum Key {
    Tag(usize),
    Field(usize),
    Other,
}

impl Shape {
    /// What a key is. Looks where `next` points first: fields stand in order as a rule.
    #[inline]
    pub(crate) fn find(&self, key: &str, next: usize) -> Key {
        match self.fields.get(next) {
            Some((field, _)) if *field == key => Key::Field(next),
            _ => self.search(key, next),
        }
    }

    /// Goes on from `next`, and around.
    fn search(&self, key: &str, next: usize) -> Key {
        if let Some(at) = self.tags.iter().position(|(tag, _)| *tag == key) {
            return Key::Tag(at);
        }
        let (before, behind) = self.fields.split_at(next.min(self.fields.len()));
        let place = |fields: &[(&str, Need)]| fields.iter().position(|(field, _)| *field == key);
        place(behind)
            .map(|at| at + before.len())
            .or_else(|| place(before))
            .map_or(Key::Other, Key::Field)
    }
}

/// A struct that reads itself from an object.
pub(crate) trait Object: Read {
    const SHAPE: &'static Shape;

    /// Reads the object that stands here; the rest of it, where it was `opened` and its only tag read,
    /// which stood first.
    fn read_object<P: Place<Self>>(parser: &mut Parser<'_>, opened: bool) -> Result<P, GaveUp>;
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

type Pairs = Vec<(Box<str>, Json)>;

/// Reads an object into the slots of a struct's fields. Gives what the struct does not know; whatever it
/// requires is there then.
///
/// Not generic: compiled once, for all structs.
#[inline(never)]
pub(crate) fn fill(
    parser: &mut Parser<'_>,
    shape: &'static Shape,
    opened: bool,
    slots: &mut [&mut dyn Slot],
) -> Result<Extra, GaveUp> {
    if !opened {
        parser.open(b'{', &format_args!("an object ({})", shape.name))?;
    }
    let mut pairs = Pairs::new();
    let (mut tags_seen, mut has_null) = (usize::from(opened), false);
    let (mut begun, mut next) = (opened, 0);
    while parser.more(&mut begun, b'}')? {
        let text = parser.key()?;
        match shape.find(parser.unescaped(&text), next) {
            Key::Field(at) => {
                next = at + 1;
                let (key, need) = shape.fields[at];
                if matches!(need, Need::Optional) && parser.null()? {
                    slots[at].clear();
                    pairs.push((key.into(), Json::null()));
                    has_null = true;
                } else if slots[at].fill_unless(need, parser).is_err() {
                    return Err(parser.inside(key));
                }
            }
            Key::Tag(at) => {
                let (key, value) = shape.tags[at];
                if parser.tag(value).is_err() {
                    return Err(parser.inside(key));
                }
                tags_seen |= 1 << at;
            }
            Key::Other => {
                let key: Box<str> = parser.unescaped(&text).into();
                pairs.push((key, Json::read(parser)?));
            }
        }
    }
    for (at, (key, _)) in shape.tags.iter().enumerate() {
        if tags_seen & (1 << at) == 0 {
            return Err(parser.missing(key));
        }
    }
    for ((key, need), slot) in shape.fields.iter().zip(&*slots) {
        if matches!(need, Need::Required | Need::RequiredBut(_)) && slot.is_empty() {
            return Err(parser.missing(key));
        }
    }
    if has_null {
        forget(&mut pairs, shape, slots);
    }
    Ok(Extra::from_pairs(pairs))
}

/// Drops the nulls whose fields were set since.
#[cold]
#[inline(never)]
fn forget(pairs: &mut Pairs, shape: &Shape, slots: &[&mut dyn Slot]) {
    pairs.retain(|(key, _)| match shape.find(key, 0) {
        Key::Field(at) => slots[at].is_empty(),
        _ => true,
    });
}

impl dyn Slot + '_ {
    /// Reads the value that stands here, unless it is a text that the field never is.
    #[inline]
    fn fill_unless(&mut self, need: Need, parser: &mut Parser<'_>) -> Result<(), GaveUp> {
        match need {
            Need::RequiredBut(never) => {
                let start = parser.start();
                self.fill(parser)?;
                parser.refuse(start, never)
            }
            _ => self.fill(parser),
        }
    }
}

impl Parser<'_> {
    /// Reads a tag's value and refuses any but `expected`.
    fn tag(&mut self, expected: &'static str) -> Result<(), GaveUp> {
        let quoted = format_args!("\"{expected}\"");
        if self.peek() != b'"' {
            return Err(self.mismatch(b'"', &quoted));
        }
        let tag = self.text("a string")?;
        if tag == expected {
            return Ok(());
        }
        let what = format!("invalid value: {}, expected {quoted}", Unexpected::Str(tag));
        Err(self.blame(self.here(), what))
    }

    /// Refuses a text that was read, and is another struct's tag: one that stands twice may say first
    /// this, then that.
    fn refuse(&mut self, start: usize, never: &'static str) -> Result<(), GaveUp> {
        let end = self.here();
        self.go(start);
        let is_refused = self.peek() == b'"' && self.text("a string")? == never;
        self.go(end);
        if is_refused {
            let found = Unexpected::Str(never);
            Err(self.blame(
                end,
                format_args!("invalid value: {found}, expected another one"),
            ))
        } else {
            Ok(())
        }
    }
}
