//! Text that is usually short and then needs no allocation.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// The length of a UUID's text.
const UUID: usize = 36;
/// The length of the longest other text that fits in place together with its length.
const HERE: usize = UUID - 1;

/// Text that is stored in place if it is short.
#[derive(Clone)]
pub(super) struct Short(Repr);

/// Five words. The tag takes half of one, so that the rest is moved in pieces that do not overlap:
/// the processor stalls when it reads across two pieces that it has just written.
#[derive(Clone)]
#[repr(u32)]
enum Repr {
    Uuid([u8; UUID]),
    Here { length: u8, bytes: [u8; HERE] },
    Heap(Box<str>),
}

impl Short {
    pub(super) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Heap(text) => text,
            // The bytes come from a `str`.
            _ => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Uuid(bytes) => bytes,
            Repr::Here { length, bytes } => &bytes[..usize::from(*length)],
            Repr::Heap(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for Short {
    #[inline]
    fn from(text: &str) -> Self {
        // A copy of a known length is a few moves, and nearly every ID is a UUID.
        if let Ok(uuid) = text.as_bytes().try_into() {
            return Self(Repr::Uuid(uuid));
        }
        let mut bytes = [0; HERE];
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
