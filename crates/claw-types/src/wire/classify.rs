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

/// The tags of one struct as numbers: the first, and the second, which is zero where there is none.
/// Different tags may share theirs, so what fits is compared as text as well.
pub(crate) type Marks = (u32, u32);

/// The marks of a table, made when it is compiled: a table is searched several times a line, and
/// numbers beside one another are searched at once.
pub(crate) const fn marks<const N: usize>(table: &[Tags]) -> [Marks; N] {
    let mut marks = [(0, 0); N];
    let mut i = 0;
    while i < N {
        marks[i].0 = mark(table[i][0].1);
        if table[i].len() > 1 {
            marks[i].1 = mark(table[i][1].1);
        } else if is_alone(table, i) {
            marks[i].0 |= ALONE;
        }
        i += 1;
    }
    marks
}

/// In a first mark: no other struct of the table has this tag, so that none is looked for.
const ALONE: u32 = 2;

const fn is_alone(table: &[Tags], index: usize) -> bool {
    let mut i = 0;
    while i < table.len() {
        if i != index && crate::open_enum::same(table[i][0].1, table[index][0].1) {
            return false;
        }
        i += 1;
    }
    true
}

/// A number made of a text's length and three of its bytes. Zero for the empty text alone.
const fn mark(text: &str) -> u32 {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return 0;
    }
    let (middle, last) = (bytes[bytes.len() / 2], bytes[bytes.len() - 1]);
    // The lowest byte of the length.
    let length = bytes.len().to_le_bytes()[0];
    (u32::from_le_bytes([length, bytes[0], middle, last]) | 1) & !ALONE
}

/// Looks the tags up.
#[inline]
pub(crate) fn find(
    table: &'static [Tags],
    marks: &'static [Marks],
    tag: &str,
    sub: Sub<'_>,
) -> Found {
    let first = mark(tag);
    let second = match sub {
        Sub::Is(sub) => mark(sub),
        Sub::Unread | Sub::Missing => 0,
    };
    // Both at once, and nothing else: most of a long table is passed over here.
    if second != 0 {
        for (index, marks) in marks.iter().enumerate() {
            if *marks == (first, second) && is(table[index], tag, sub) {
                return Found::Variant { index, exact: true };
            }
        }
    }
    let mut open = None;
    let mut narrower = false;
    for (index, marks) in marks.iter().enumerate() {
        if marks.0 & !ALONE != first || table[index][0].1 != tag {
            continue;
        }
        if marks.1 == 0 {
            open = Some(index);
            if marks.0 & ALONE != 0 {
                break;
            }
        } else {
            narrower = true;
            if matches!(sub, Sub::Unread) {
                return Found::NeedsSub;
            }
        }
    }
    open.map_or(Found::Nothing, |index| Found::Variant {
        index,
        exact: !narrower,
    })
}

/// Whether both tags are these.
fn is(tags: Tags, tag: &str, sub: Sub<'_>) -> bool {
    match (tags, sub) {
        ([(_, first), (_, second)], Sub::Is(sub)) => *first == tag && *second == sub,
        _ => false,
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
