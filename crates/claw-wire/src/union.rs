//! Reads a union: finds the variant by the tags, then reads its struct.

use crate::Json;
use crate::classify::{Subtype, TagMatch, Tags};
use crate::failed::Failed;
use crate::parser::Parser;
use crate::read::Read;

/// An enum of structs that the macro `#[wire]` declares. The tags of a JSON object decide which variant the object is.
pub trait Union: Sized {
    /// The tags of each variant, in the order of the variants.
    const TABLE: &'static [Tags];

    /// The key of the tag that decides the variant: `type`, or `subtype` inside control frames.
    const KEY: &'static str = Self::TABLE[0][0].0;

    /// The key of the second tag, which decides the variant if the first tag fits several variants. Empty if no variant
    /// has two tags.
    const SUB_KEY: &'static str = sub_key(Self::TABLE, "");

    /// The index of the first lenient variant. If the fields of an object do not fit a lenient variant, the object is
    /// read as an unknown object, without an error. All later variants are lenient too.
    const LENIENT: usize = usize::MAX;

    /// Finds the variant that has these tags.
    fn find(tag: &str, sub: Subtype<'_>) -> TagMatch;

    /// Reads the struct of a variant from the object at the current position. If `opened` is true, the caller has
    /// already read the object's first key, which is its only tag, and this function reads only the rest.
    fn read_variant(variant: usize, parser: &mut Parser<'_>, opened: bool) -> Result<Self, Failed>;

    /// Creates the value for an object that fits no variant.
    fn unknown(json: Json) -> Self;

    /// Whether the value is an object that fits no variant.
    fn is_unknown(&self) -> bool;
}

/// Returns the key of the second tag if a variant in the table has two tags. Returns `otherwise` if no variant has two
/// tags.
pub const fn sub_key(table: &[Tags], otherwise: &'static str) -> &'static str {
    let mut i = 0;
    while i < table.len() {
        if table[i].len() > 1 {
            return table[i][1].0;
        }
        i += 1;
    }
    otherwise
}

/// Reads the object at the parser's current position as a variant of the union.
///
/// In nearly all objects, the first key is the tag. In this case, the struct of the variant reads the rest of the
/// object. Otherwise the parser scans the object until its tags decide the variant, and then reads the object from its
/// start.
pub fn read_union<U: Union>(parser: &mut Parser<'_>) -> Result<U, Failed> {
    parser.enter_union()?;
    let start = parser.start();
    let level = parser.level();
    let read = |parser: &mut Parser<'_>, variant, opened| {
        let value = U::read_variant(variant, parser, opened);
        if value.is_err() && variant >= U::LENIENT {
            parser.return_to(start, level);
            return Json::read(parser).map(U::unknown);
        }
        value
    };
    let value = match classify(parser, U::KEY, U::SUB_KEY, U::find)? {
        Class::First(variant) => read(parser, variant, true),
        Class::Later(variant) => {
            parser.seek(start);
            read(parser, variant, false)
        }
        Class::Unknown => {
            parser.seek(start);
            Json::read(parser).map(U::unknown)
        }
    };
    parser.leave_union();
    value
}

/// The class of an object.
enum Class {
    /// The first key decided for this variant. The parser is inside the object, after that key.
    First(usize),
    /// A key after the first key decided for this variant.
    Later(usize),
    /// The object fits no variant. All its keys are valid texts.
    Unknown,
}

/// Finds the variant of the object at the current position. Not generic, so that it is compiled once for all unions.
#[inline(never)]
fn classify(
    parser: &mut Parser<'_>,
    key: &'static str,
    sub_key: &'static str,
    find: fn(&str, Subtype<'_>) -> TagMatch,
) -> Result<Class, Failed> {
    let start = parser.start();
    parser.open(b'{', &format_args!("an object with the key `{key}`"))?;
    let mut tags = ReadTags::default();
    let (mut begun, mut first) = (false, true);
    while parser.more(&mut begun, b'}')? {
        let is_first = std::mem::take(&mut first);
        let text = parser.key()?;
        let name = parser.unescaped(&text);
        let is_tag = name == key;
        let is_sub = !is_tag && !sub_key.is_empty() && name == sub_key;
        if tags.found.is_some() || !(is_tag || is_sub) {
            parser.skip()?;
            continue;
        }
        let value = parser.any_text()?;
        tags.see(find, is_tag, value);
        if let Some(TagMatch::Variant { index, .. }) = tags.found {
            if is_first {
                // The usual case: nothing has to be read twice.
                return Ok(Class::First(index));
            }
            parser.reopen(start);
            return Ok(Class::Later(index));
        }
    }
    Ok(tags.variant(find).map_or(Class::Unknown, Class::Later))
}

/// The tags of an object, as far as they were read. The first tag that decides counts. If another tag contradicts it,
/// the struct refuses the object.
#[derive(Default)]
struct ReadTags {
    tag: Option<String>,
    #[expect(clippy::option_option, reason = "read or not, and text or not")]
    sub: Option<Option<String>>,
    found: Option<TagMatch>,
}

impl ReadTags {
    /// Looks at the text of a tag, and keeps it if it does not decide.
    fn see(&mut self, find: fn(&str, Subtype<'_>) -> TagMatch, is_tag: bool, text: Option<&str>) {
        let found = match (is_tag, text, &self.tag) {
            // A tag that is no text names no variant.
            (true, None, _) => TagMatch::Nothing,
            (true, Some(tag), _) => find(tag, self.sub()),
            (false, sub, Some(tag)) => find(tag, sub.map_or(Subtype::Missing, Subtype::Is)),
            (false, _, None) => TagMatch::NeedsSubtype,
        };
        if found != TagMatch::NeedsSubtype {
            self.found = Some(found);
        } else if is_tag {
            self.tag = text.map(ToOwned::to_owned);
        } else {
            self.sub = Some(text.map(ToOwned::to_owned));
        }
    }

    fn sub(&self) -> Subtype<'_> {
        match &self.sub {
            None => Subtype::Unread,
            Some(None) => Subtype::Missing,
            Some(Some(sub)) => Subtype::Is(sub),
        }
    }

    /// Returns the variant after all keys were read.
    fn variant(&self, find: fn(&str, Subtype<'_>) -> TagMatch) -> Option<usize> {
        let undecided = || self.tag.as_deref().map(|tag| find(tag, Subtype::Missing));
        match self.found.or_else(undecided) {
            Some(TagMatch::Variant { index, .. }) => Some(index),
            _ => None,
        }
    }
}
