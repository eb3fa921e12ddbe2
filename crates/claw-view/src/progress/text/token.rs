//! The words, numbers, signs and bars of a line.

use super::words::Class;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A word.
    Word,
    /// A whole number.
    Number(u64),
    /// A number with a fraction.
    Decimal(f64),
    /// A percentage, such as `45%`.
    Percent(f64),
    /// A count, such as `3/12` or `3 of 12`.
    Pair(u64, u64),
    /// A ratio, such as `3.0/12.0`. It reports progress only if a unit follows.
    Ratio(f64, f64),
    /// A size in bytes, such as `12 MB`.
    Size(f64),
    /// A size and its total, both in bytes, such as `3.0/12.0 MB`.
    Sizes(f64, f64),
    /// A rate, such as `1.2MB/s`.
    Rate,
    /// A time, such as `1.2s` or `12:40`.
    Time,
    /// A drawn progress bar.
    Bar,
    /// A bracket, a quote, or another single sign.
    Mark(char),
    /// Decorative signs.
    Ornament,
    /// Any other text, such as a path, a version, a name with signs, or code.
    Other,
}

/// A token of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// The range of the token in the line, without punctuation.
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) class: Class,
    /// Whether the token directly follows the previous one, without white space.
    pub(super) glued: bool,
    /// Whether the token is in quotes.
    pub(super) quoted: bool,
    /// The first punctuation mark after the token.
    pub(super) punctuation: Option<char>,
}

impl Token<'_> {
    pub(super) fn is(&self, any: Class) -> bool {
        self.class.is(any)
    }

    /// Whether the token is one of these words. The words must be in lower case.
    pub(super) fn reads(&self, words: &[&str]) -> bool {
        let plain = |c: char| {
            if c == '’' {
                '\''
            } else {
                c.to_ascii_lowercase()
            }
        };
        let is = |word: &&str| self.text.chars().map(plain).eq(word.chars());
        words.iter().any(is)
    }

    pub(super) fn is_mark(&self, marks: &str) -> bool {
        matches!(self.kind, Kind::Mark(c) if marks.contains(c))
    }

    /// Whether a sentence or a clause ends after the token.
    pub(super) fn ends(&self) -> bool {
        matches!(self.punctuation, Some('.' | ';' | '!' | '?'))
    }

    /// Whether the token can be part of a phrase. Signs and bars cannot.
    pub(super) fn is_text(&self) -> bool {
        matches!(
            self.kind,
            Kind::Word | Kind::Other | Kind::Number(_) | Kind::Decimal(_)
        )
    }
}
