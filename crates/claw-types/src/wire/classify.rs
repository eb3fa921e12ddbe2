//! Which variant of a union an object is: its tags against the table.

/// The tags of one struct: key and value, the deciding one first.
pub(crate) type Tags = &'static [(&'static str, &'static str)];

/// What is known of the second tag (`subtype` of a top-level message).
#[derive(Clone, Copy)]
pub(crate) enum Sub<'a> {
    /// Not read yet.
    Unread,
    /// There is none, or it is no text.
    Missing,
    /// Its text.
    Is(&'a str),
}

/// What the tags say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The variant's place in the table. `exact` is false for a variant that takes every subtype
    /// that no other takes: then the subtype must be known for sure.
    Variant { index: usize, exact: bool },
    /// The second tag decides.
    NeedsSub,
    /// No variant.
    Nothing,
}

impl Found {
    /// The same variant in a table that has `by` others before it.
    pub(crate) fn shift(self, by: usize) -> Self {
        match self {
            Self::Variant { index, exact } => Self::Variant {
                index: index + by,
                exact,
            },
            other => other,
        }
    }
}

/// Looks the tags up. Tables are short and the frequent kinds stand first, so they are walked.
#[inline]
pub(crate) fn find(
    table: &'static [Tags],
    sub_key: &'static str,
    tag: &str,
    sub: Sub<'_>,
) -> Found {
    let mut open = None;
    let mut narrower = false;
    for (index, tags) in table.iter().enumerate() {
        match **tags {
            [(_, first)] if first == tag => {
                open = Some(index);
                // Where no variant has two tags, the first hit is the only one.
                if sub_key.is_empty() {
                    break;
                }
            }
            [(_, first), (_, second)] if first == tag => {
                narrower = true;
                if let Sub::Is(sub) = sub
                    && sub == second
                {
                    return Found::Variant { index, exact: true };
                }
            }
            _ => {}
        }
    }
    match (open, narrower, sub) {
        (_, true, Sub::Unread) => Found::NeedsSub,
        (Some(index), narrower, _) => Found::Variant {
            index,
            exact: !narrower,
        },
        (None, ..) => Found::Nothing,
    }
}

/// Fails the build where two variants of a union have the same tags.
pub(crate) const fn assert_distinct(table: &[Tags]) {
    let mut i = 0;
    while i < table.len() {
        let mut j = i + 1;
        while j < table.len() {
            assert!(
                !same_tags(table[i], table[j]),
                "two variants of this union have the same tags"
            );
            j += 1;
        }
        i += 1;
    }
}

const fn same_tags(a: Tags, b: Tags) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if !crate::open_enum::same(a[i].0, b[i].0) || !crate::open_enum::same(a[i].1, b[i].1) {
            return false;
        }
        i += 1;
    }
    true
}
