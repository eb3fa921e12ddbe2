//! Text that is short as a rule, and then takes no memory of its own.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A UUID's 36 bytes, and all other names that the CLI and the API give; together with the length and
/// the tag it is five words.
const HERE: usize = 38;

/// The length of a UUID's text.
const UUID: u8 = 36;

/// Text, in place where it is short.
#[derive(Clone)]
pub(super) struct Short(Repr);

#[derive(Clone)]
enum Repr {
    Here { length: u8, bytes: [u8; HERE] },
    Heap(Box<str>),
}

impl Short {
    pub(super) fn as_str(&self) -> &str {
        match &self.0 {
            // It was a text when it was put here.
            Repr::Here { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Repr::Heap(text) => text,
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Here { length, bytes } => &bytes[..usize::from(*length)],
            Repr::Heap(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for Short {
    #[inline]
    fn from(text: &str) -> Self {
        let mut bytes = [0; HERE];
        // A copy of a known length is a few moves; nearly every id is a UUID.
        if let Ok(uuid) = <&[u8; UUID as usize]>::try_from(text.as_bytes()) {
            bytes[..uuid.len()].copy_from_slice(uuid);
            return Self(Repr::Here {
                length: UUID,
                bytes,
            });
        }
        match (u8::try_from(text.len()), bytes.get_mut(..text.len())) {
            (Ok(length), Some(place)) => {
                place.copy_from_slice(text.as_bytes());
                Self(Repr::Here { length, bytes })
            }
            _ => Self(Repr::Heap(text.into())),
        }
    }
}

impl PartialEq for Short {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Short {}

impl PartialOrd for Short {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Short {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Short {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{HERE, Short};

    #[test]
    fn text_of_any_length_is_what_it_was() {
        for length in 0..2 * HERE {
            let text = "ü🎉x".chars().cycle().take(length).collect::<String>();
            assert_eq!(Short::from(&*text).as_str(), text);
            let text = "x".repeat(length);
            let short = Short::from(&*text);
            assert_eq!(short.as_str(), text);
            assert!(HashSet::from([short.clone()]).contains(&short));
        }
    }

    #[test]
    fn it_is_in_the_order_of_texts() {
        let long = "b".repeat(HERE + 1);
        let texts = ["", "a", "a\0", "b", &long, "c"];
        for pair in texts.windows(2) {
            assert!(Short::from(pair[0]) < Short::from(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn it_takes_five_words() {
        assert_eq!(size_of::<Option<Short>>(), 5 * size_of::<u64>());
    }
}
