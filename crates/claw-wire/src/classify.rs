//! Finds the variant of a union to which an object belongs, by its tags.

use crate::const_eq;

/// The tags of one struct, as pairs of key and value, such as `("type", "assistant")`. They identify the struct in
/// JSON. The second tag decides only between structs with the same first tag.
pub type Tags = &'static [(&'static str, &'static str)];

/// The second tag of an object (the `subtype` of a top-level message), as far as a reader has found it out.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way")]
pub enum Subtype<'a> {
    /// The second tag has not been read yet.
    Unread,
    /// The object has no second tag, or the value of that tag is not a text.
    Missing,
    /// The second tag has this text as its value.
    Is(&'a str),
}

/// The result of looking for an object's tags in the table of a union, which lists the tags of each variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "`#[wire]` tells all of them apart")]
pub enum TagMatch {
    /// A variant has these tags.
    Variant {
        /// The index of the variant in the table, counted from 0.
        index: usize,
        /// Whether this variant is the only possible one. `false` if other variants have the same first tag and also a
        /// second tag. In this case, the second tag of the object must be read to decide.
        exact: bool,
    },
    /// The first tag fits several variants. The second tag is needed to decide.
    NeedsSubtype,
    /// No variant has these tags.
    Nothing,
}

impl TagMatch {
    /// Adds `by` to the index of the variant. Use this method if a longer table lists `by` other variants before the
    /// variants of this table.
    #[must_use]
    #[inline]
    pub fn shift(self, by: usize) -> Self {
        match self {
            Self::Variant { index, exact } => Self::Variant {
                index: index + by,
                exact,
            },
            other => other,
        }
    }
}

/// An index for searching the table of a union, which lists the tags of each variant. The index is built at compile
/// time, because a table is searched several times per line.
///
/// The index consists of two open-addressing hash tables with linear probing. `SLOTS` is a power of two that is greater
/// than the number of entries, so that every search ends at an empty slot.
pub struct Index<const SLOTS: usize> {
    by_tag: [Slot; SLOTS],
    by_both: [u8; SLOTS],
}

/// The entry of a first tag.
#[derive(Clone, Copy)]
struct Slot {
    /// A variant with this first tag.
    variant: u8,
    /// The variant that has no second tag.
    open: u8,
    /// Whether other variants have a second tag.
    narrower: bool,
}

const NONE: u8 = u8::MAX;

impl<const SLOTS: usize> Index<SLOTS> {
    /// Builds the index for the table of a union, which lists the tags of each variant.
    ///
    /// # Panics
    /// Panics at compile time if `SLOTS` is not a power of two, or is not greater than the number of entries in the
    /// table.
    pub const fn of(table: &[Tags]) -> Self {
        assert!(SLOTS.is_power_of_two() && table.len() < SLOTS && table.len() < NONE as usize);
        let empty = Slot {
            variant: NONE,
            open: NONE,
            narrower: false,
        };
        let mut index = Self {
            by_tag: [empty; SLOTS],
            by_both: [NONE; SLOTS],
        };
        let mut i = 0;
        while i < table.len() {
            // Fewer than NONE.
            let variant = i.to_le_bytes()[0];
            let tag = table[i][0].1;
            let mut at = Self::slot(hash(tag, ""));
            while index.by_tag[at].variant != NONE
                && !const_eq(table[index.by_tag[at].variant as usize][0].1, tag)
            {
                at = (at + 1) % SLOTS;
            }
            index.by_tag[at].variant = variant;
            if table[i].len() == 1 {
                index.by_tag[at].open = variant;
            } else {
                index.by_tag[at].narrower = true;
                let mut at = Self::slot(hash(tag, table[i][1].1));
                while index.by_both[at] != NONE {
                    at = (at + 1) % SLOTS;
                }
                index.by_both[at] = variant;
            }
            i += 1;
        }
        index
    }

    /// Searches the table for the variant whose tags match those of an object. `tag` is the object's first tag, and
    /// `sub` is what is known about its second tag. `table` must be the table for which the index was built.
    pub fn find(&self, table: &'static [Tags], tag: &str, sub: Subtype<'_>) -> TagMatch {
        if let Subtype::Is(sub) = sub {
            let mut at = Self::slot(hash(tag, sub));
            while self.by_both[at] != NONE {
                let index = usize::from(self.by_both[at]);
                if let [(_, first), (_, second)] = table[index]
                    && *first == tag
                    && *second == sub
                {
                    return TagMatch::Variant { index, exact: true };
                }
                at = (at + 1) % SLOTS;
            }
        }
        let mut at = Self::slot(hash(tag, ""));
        loop {
            let slot = self.by_tag[at];
            if slot.variant == NONE {
                return TagMatch::Nothing;
            }
            if table[usize::from(slot.variant)][0].1 == tag {
                return match (slot.open, slot.narrower, sub) {
                    (_, true, Subtype::Unread) => TagMatch::NeedsSubtype,
                    (NONE, _, _) => TagMatch::Nothing,
                    (open, narrower, _) => TagMatch::Variant {
                        index: usize::from(open),
                        exact: !narrower,
                    },
                };
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// The highest bits of the product depend on all of the hash.
    const fn slot(hash: u32) -> usize {
        (hash.wrapping_mul(0x9E37_79B1) as usize >> 16) % SLOTS
    }
}

/// Returns a hash of two texts, made of their lengths and three bytes of each.
#[inline]
const fn hash(first: &str, second: &str) -> u32 {
    mark(first) ^ mark(second).rotate_left(13)
}

#[inline]
const fn mark(text: &str) -> u32 {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return 0;
    }
    let (middle, last) = (bytes[bytes.len() / 2], bytes[bytes.len() - 1]);
    u32::from_le_bytes([bytes.len().to_le_bytes()[0], bytes[0], middle, last])
}
