//! Reads one object, key by key.

use std::mem::MaybeUninit;

use serde::de::Unexpected;

use crate::failed::Failed;
use crate::parser::Parser;
use crate::read::{Read, Slot};
use crate::{Extra, Json};

/// The name, tags and fields of a struct that is written as a JSON object.
#[expect(
    clippy::exhaustive_structs,
    reason = "`#[wire]` writes it down as a constant"
)]
pub struct Shape {
    /// The name of the struct.
    pub name: &'static str,
    /// The members of the struct: first its tags, then its fields. Tags and fields are each in the order in which the
    /// struct declares them.
    pub members: &'static [Member],
}

/// A tag or a field of a struct.
#[expect(
    clippy::exhaustive_structs,
    reason = "`#[wire]` writes it down as a constant"
)]
pub struct Member {
    /// The key as it is in compact JSON, with its quotes and colon, such as `"uuid":`. The macro `#[wire]` checks that
    /// no key needs an escape.
    pub text: &'static str,
    /// The first eight bytes of `text`, as a little-endian number.
    pub head: u64,
    /// A mask for `head`: all bits are set in those bytes of `head` that belong to `text`.
    pub mask: u64,
    /// Whether the member must be present, and whether it may be null.
    pub presence: Presence,
}

/// Whether a member must be present in its object, and whether it may be null.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Presence {
    /// The member is a tag. It is always present, and its value is always the given text.
    Tag(&'static str),
    /// The field is always present. Its type says whether it may be null.
    Required,
    /// The field is always present. Its value is never the given text, because that text is a tag of another struct.
    RequiredExcept(&'static str),
    /// The field is absent or has a value. If it is null, the null is kept in `extra`.
    Optional,
    /// The field is absent, is null or has a value.
    Tri,
}

impl Member {
    /// Returns the key.
    fn key(&self) -> &'static str {
        &self.text[1..self.text.len() - 2]
    }

    /// Whether `bytes` begins with this key. `word` has the first eight bytes of `bytes`.
    #[inline]
    fn starts(&self, bytes: &[u8], word: u64) -> bool {
        (word ^ self.head) & self.mask == 0
            && (self.text.len() <= 8 || bytes.starts_with(self.text.as_bytes()))
    }
}

impl Shape {
    /// Returns the index of the member with this key.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.members.iter().position(|member| member.key() == key)
    }

    /// Returns the number of tags. The tags come first in `members`.
    pub fn tags(&self) -> usize {
        let is_tag = |member: &&Member| matches!(member.presence, Presence::Tag(_));
        self.members.iter().take_while(is_tag).count()
    }

    /// Returns the index of the member whose key is at the start of `text`, and the length of the key there. Tries the
    /// member at `next` first, because members usually are in order. Finds only keys in compact JSON, in which nearly
    /// all lines are written: then a key need not be scanned before it is compared.
    #[inline]
    fn starting(&self, text: &str, next: usize) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let word = u64::from_le_bytes(*bytes.first_chunk()?);
        let starts = |member: &Member| member.starts(bytes, word);
        let (before, behind) = self.members.split_at_checked(next)?;
        let at = match behind.iter().position(starts) {
            Some(at) => next + at,
            None => before.iter().position(starts)?,
        };
        Some((at, self.members[at].text.len()))
    }
}

/// A struct that can be read from a JSON object.
pub trait Object: Read {
    /// The name, tags and fields of the struct.
    const SHAPE: &'static Shape;

    /// Reads the object at the current position. If `opened` is true, the caller has already read the object's first
    /// key, which is its only tag, and this function reads only the rest.
    fn read_object<P: Destination<Self>>(
        parser: &mut Parser<'_>,
        opened: bool,
    ) -> Result<P, Failed>;
}

/// The place in which a struct is built: the stack, or a box. A big struct is built inside its box, because moving it
/// costs time. So the box is allocated before the struct exists.
pub trait Destination<T> {
    /// The memory that is allocated before the struct is built: an empty box, or nothing if the struct is built on the
    /// stack.
    type Storage;
    /// Allocates the memory for the struct.
    fn allocate() -> Self::Storage;
    /// Moves the struct into the memory that was allocated for it.
    fn init(storage: Self::Storage, value: T) -> Self;
}

impl<T> Destination<T> for T {
    type Storage = ();

    #[inline]
    fn allocate() {}

    #[inline]
    fn init((): (), value: T) -> Self {
        value
    }
}

impl<T> Destination<T> for Box<T> {
    type Storage = Box<MaybeUninit<T>>;

    #[inline]
    fn allocate() -> Self::Storage {
        Self::new_uninit()
    }

    #[inline]
    fn init(storage: Self::Storage, value: T) -> Self {
        Box::write(storage, value)
    }
}

type Pairs = Vec<(Box<str>, Json)>;

/// Reads an object into the slots for the fields of a struct, and returns those fields of the object that the struct
/// does not have. The function checks that all tags are present. It does not check that all required fields are
/// present.
///
/// The function is not generic. So it is compiled once, and not again for each struct.
#[inline(never)]
pub fn fill(
    parser: &mut Parser<'_>,
    shape: &'static Shape,
    opened: bool,
    slots: &mut [&mut dyn Slot],
) -> Result<Extra, Failed> {
    if !opened {
        parser.open(b'{', &format_args!("an object ({})", shape.name))?;
    }
    let tags = shape.members.len() - slots.len();
    let mut pairs = Pairs::new();
    let mut tags_seen = usize::from(opened);
    // The optional members that were null; empty while there was none.
    let mut nulls = Vec::new();
    let (mut begun, mut next) = (opened, usize::from(opened));
    while parser.more(&mut begun, b'}')? {
        let at = if let Some((at, length)) = shape.starting(parser.rest(), next) {
            parser.seek(parser.position() + length);
            at
        } else {
            let text = parser.key()?;
            let key = parser.unescaped(&text);
            let Some(at) = shape.find(key) else {
                let key = key.into();
                pairs.push((key, Json::read(parser)?));
                continue;
            };
            at
        };
        next = at + 1;
        let member = &shape.members[at];
        // If a key is repeated, its last value counts.
        if let Some(is_null) = nulls.get_mut(at) {
            *is_null = false;
        }
        let done = match member.presence {
            Presence::Tag(value) => {
                tags_seen |= 1 << at;
                parser.tag(value)
            }
            Presence::Optional if parser.peek() == b'n' => {
                parser.null()?;
                slots[at - tags].clear();
                pairs.push((member.key().into(), Json::null()));
                nulls.resize(shape.members.len(), false);
                nulls[at] = true;
                Ok(())
            }
            Presence::RequiredExcept(never) => slots[at - tags].fill_except(never, parser),
            Presence::Required | Presence::Optional | Presence::Tri => {
                slots[at - tags].fill(parser)
            }
        };
        if done.is_err() {
            return Err(parser.inside(member.key()));
        }
    }
    if tags_seen + 1 != 1 << tags {
        return Err(parser.no_tag(shape, tags_seen));
    }
    if !nulls.is_empty() {
        forget(&mut pairs, shape, &nulls);
    }
    Ok(Extra::from_pairs(pairs))
}

/// Removes the nulls of fields that were set later.
#[cold]
#[inline(never)]
fn forget(pairs: &mut Pairs, shape: &Shape, nulls: &[bool]) {
    pairs.retain(|(key, _)| shape.find(key).is_none_or(|at| nulls[at]));
}

impl dyn Slot + '_ {
    /// Reads the value at the current position, unless it is the text that the field must not have.
    fn fill_except(&mut self, never: &'static str, parser: &mut Parser<'_>) -> Result<(), Failed> {
        let start = parser.start();
        self.fill(parser)?;
        parser.refuse(start, never)
    }
}

impl Parser<'_> {
    /// Records that a tag is missing.
    #[cold]
    fn no_tag(&mut self, shape: &Shape, seen: usize) -> Failed {
        let missing = shape.members.get(seen.trailing_ones() as usize);
        self.missing(missing.map_or("", Member::key))
    }

    /// Records the error that a required field of the struct is missing. `field` is the index of this field in the
    /// members of `shape`, counted from the first member that is not a tag.
    #[cold]
    #[inline(never)]
    pub fn no_field(&mut self, shape: &Shape, field: usize) -> Failed {
        let missing = shape.members.get(shape.tags() + field);
        self.missing(missing.map_or("", Member::key))
    }

    /// Reads the value of a tag. Any value other than `expected` is an error.
    fn tag(&mut self, expected: &'static str) -> Result<(), Failed> {
        let quoted = format_args!("\"{expected}\"");
        if self.peek() != b'"' {
            return Err(self.mismatch(b'"', &quoted));
        }
        let tag = self.text("a string")?;
        if tag == expected {
            return Ok(());
        }
        let what = format!("invalid value: {}, expected {quoted}", Unexpected::Str(tag));
        Err(self.fail_at(self.position(), what))
    }

    /// Refuses a text that is the tag of another struct: a key that occurs twice may have two different texts.
    fn refuse(&mut self, start: usize, never: &'static str) -> Result<(), Failed> {
        let end = self.position();
        self.seek(start);
        let is_refused = self.peek() == b'"' && self.text("a string")? == never;
        self.seek(end);
        if is_refused {
            let found = Unexpected::Str(never);
            Err(self.fail_at(
                end,
                format_args!("invalid value: {found}, expected another one"),
            ))
        } else {
            Ok(())
        }
    }
}
