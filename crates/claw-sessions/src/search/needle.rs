//! The searched text.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;

/// The number of characters around a match that an excerpt shows on each side.
const AROUND: usize = 80;

/// The number of bytes of a text that are searched first if the case is ignored.
const BEGINNING: usize = 512;

/// The searched text, prepared for the search.
pub(super) struct Needle {
    /// The text. It is in lower case if case is ignored.
    text: Finder<'static>,
    ignore_case: bool,
    /// A part of the text that every line with the text contains, regardless of how the line is escaped. The part is
    /// not empty.
    part: Option<Finder<'static>>,
    /// The beginning of an escaped ASCII character.
    escape: Finder<'static>,
}

impl Needle {
    pub(super) fn new(text: &str, ignore_case: bool) -> Self {
        let text = if ignore_case {
            lower(text)
        } else {
            Cow::Borrowed(text)
        };
        // Whether a line may contain this character in another form. Writers of JSON may escape some characters, and
        // some letters are also the lower case of a non-ASCII character.
        let is_odd = |c: char| match c {
            '"' | '\\' | '/' | '<' | '>' | '&' | '\'' => true,
            'k' | 'i' => ignore_case,
            c => !c.is_ascii() || c.is_control(),
        };
        let parts = text.split(is_odd);
        let part = parts.max_by_key(|part| part.len());
        let part = part.filter(|part| !part.is_empty());
        Self {
            part: part.map(|part| Finder::new(part).into_owned()),
            escape: Finder::new("\\u00"),
            text: Finder::new(text.as_bytes()).into_owned(),
            ignore_case,
        }
    }

    /// Whether a line can contain the text. Most lines cannot, which is determined without parsing them.
    pub(super) fn can_match(&self, line: &[u8]) -> bool {
        let Some(part) = &self.part else { return true };
        let stands = if self.ignore_case {
            has_ignoring_case(part, line)
        } else {
            part.find(line).is_some()
        };
        // Some writers of JSON escape even plain letters, so a line with such an escape may contain the text too.
        stands || self.escape.find(line).is_some()
    }

    /// Returns the range of the first match.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        if !self.ignore_case {
            let at = self.text.find(text.as_bytes())?;
            return Some(at..at + self.text.needle().len());
        }
        // A frequent text is found near the beginning, so that the lower case of the rest is not needed.
        let beginning = &text[..text.floor_char_boundary(BEGINNING)];
        let found = self.find_ignoring_case(beginning);
        if found.is_some() || beginning.len() == text.len() {
            return found;
        }
        self.find_ignoring_case(text)
    }

    /// Returns the range of the first match. Ignores the case.
    fn find_ignoring_case(&self, text: &str) -> Option<Range<usize>> {
        let length = self.text.needle().len();
        let low = lower(text);
        let at = self.text.find(low.as_bytes())?;
        if text.is_ascii() {
            return Some(at..at + length);
        }
        // The lower case of some characters is longer than the character. So this loop finds the characters of `text`
        // that belong to the match in `low`.
        let (mut below, mut start) = (0, None);
        for (place, c) in text.char_indices() {
            let begins = below;
            below += if c.is_ascii() {
                1
            } else {
                c.to_lowercase().map(char::len_utf8).sum()
            };
            if start.is_none() && below > at {
                start = Some(place);
            }
            if below >= at + length {
                debug_assert!(begins < at + length);
                return Some(start?..place + c.len_utf8());
            }
        }
        None
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        let has_upper = text.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_upper {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    let mut low = String::with_capacity(text.len());
    let mut rest = text;
    // Most characters are ASCII, and a run of ASCII characters is changed faster than single characters.
    while let Some((at, odd)) = rest.char_indices().find(|(_, c)| !c.is_ascii()) {
        push_lower(&mut low, &rest[..at]);
        // `str::to_lowercase` is not used, because it maps a sigma at the end of a word to another letter than a sigma
        // in a word.
        low.extend(odd.to_lowercase());
        rest = &rest[at + odd.len_utf8()..];
    }
    push_lower(&mut low, rest);
    Cow::Owned(low)
}

/// Appends an ASCII text in lower case.
fn push_lower(low: &mut String, plain: &str) {
    let from = low.len();
    low.push_str(plain);
    low[from..].make_ascii_lowercase();
}

/// Whether a line contains this lower-case ASCII text in any case. The text is searched in a lower-case copy of the
/// line, one piece at a time. A byte that occurs often at the start of possible matches therefore does not slow the
/// search down.
fn has_ignoring_case(part: &Finder<'_>, line: &[u8]) -> bool {
    const PIECE: usize = 16 << 10;
    let length = part.needle().len();
    let mut low = Vec::new();
    let step = PIECE.max(length);
    let mut from = 0;
    loop {
        let to = (from + step + length - 1).min(line.len());
        low.clear();
        low.reserve(to - from);
        let (words, rest) = line[from..to].as_chunks();
        for word in words {
            low.extend_from_slice(&in_lower_case(*word));
        }
        low.extend(rest.iter().map(u8::to_ascii_lowercase));
        if part.find(&low).is_some() {
            return true;
        }
        if to == line.len() {
            return false;
        }
        from += step;
    }
}

/// Returns eight bytes with ASCII letters in lower case. All bytes change at once, also in builds for size, in which
/// the compiler uses no vector instructions.
fn in_lower_case(bytes: [u8; 8]) -> [u8; 8] {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = EACH * 0x80;
    let word = u64::from_ne_bytes(bytes);
    let low_bits = word & !HIGH;
    // The high bit of each sum is set from `A` (0x41) on, and after `Z` (0x5a).
    let from_a = low_bits + EACH * (0x80 - 0x41);
    let after_z = low_bits + EACH * (0x7f - 0x5a);
    let is_upper = (from_a ^ after_z) & !word & HIGH;
    (word | is_upper >> 2).to_ne_bytes()
}

/// Returns the text around a match, and the range of the match in it.
pub(super) fn excerpt(text: &str, found: Range<usize>) -> (String, Range<usize>) {
    let before = text[..found.start].char_indices().rev().take(AROUND).last();
    let start = before.map_or(found.start, |(at, _)| at);
    let end = text[found.end..].char_indices().nth(AROUND);
    let end = end.map_or(text.len(), |(at, _)| found.end + at);
    (
        text[start..end].to_owned(),
        found.start - start..found.end - start,
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'a>(needle: &str, ignore_case: bool, text: &'a str) -> Option<&'a str> {
        let found = Needle::new(needle, ignore_case).find(text)?;
        Some(&text[found])
    }

    #[test]
    fn each_byte_gets_its_own_lower_case() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut bytes = *b"aZ@[\x80\xffAz";
                bytes[place] = byte;
                assert_eq!(
                    in_lower_case(bytes),
                    bytes.map(|it| it.to_ascii_lowercase())
                );
            }
        }
    }

    #[test]
    fn case_matters_unless_it_is_not_to() {
        assert_eq!(found("Sum", false, "the sum, the Sum"), Some("Sum"));
        assert_eq!(found("Sum", false, "the sum"), None);
        assert_eq!(found("sUM", true, "the Sum"), Some("Sum"));
        assert_eq!(found("ÄPFEL", true, "zwei äpfel"), Some("äpfel"));
        assert_eq!(found("σ", true, "ΟΔΟΣ"), Some("Σ"));
        // The first characters are longer in lower case, and others are shorter.
        assert_eq!(found("bul", true, "İİstanBUL"), Some("BUL"));
        assert_eq!(
            found("kelvin", true, "300 \u{212a}ELVIN"),
            Some("\u{212a}ELVIN")
        );
    }

    #[test]
    fn what_stands_around_is_cut_between_characters() {
        let text = format!("{}needle{}", "ä".repeat(100), "é".repeat(100));
        let (excerpt, found) = excerpt(&text, 200..206);
        assert_eq!(&excerpt[found], "needle");
        assert_eq!(excerpt.chars().count(), 166);
    }

    proptest! {
        #[test]
        fn a_line_with_the_needle_is_never_skipped(
            before in "[ -~äİK\u{212a}\\n]{0,40}",
            needle in "[ -~äkİ\u{212a}]{1,8}",
            ignore_case: bool,
            loud: bool,
            ascii: bool,
        ) {
            let written = if loud && ignore_case { needle.to_uppercase() } else { needle.clone() };
            let text = format!("{before}{written}{before}");
            let mut line = serde_json::to_string(&text).unwrap();
            if ascii {
                line = line.chars().map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }).collect();
            }
            let needle = Needle::new(&needle, ignore_case);
            prop_assert!(needle.find(&text).is_none() || needle.can_match(line.as_bytes()));
            prop_assert!(loud || needle.find(&text).is_some());
        }
    }
}
