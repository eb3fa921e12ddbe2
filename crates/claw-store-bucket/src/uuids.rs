//! A compact set of the UUIDs of a transcript's lines.

use std::collections::HashSet;

use uuid::Uuid;

/// The approximate size of a UUID in the set, in bytes.
const BYTES: usize = 40;

/// The maximum size of the set, in bytes.
const MOST: usize = 256 << 20;

#[derive(Debug, Default)]
pub(crate) struct Uuids {
    known: HashSet<Id>,
    texts: usize,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Id {
    Uuid(Uuid),
    /// An ID that does not have the usual form of a UUID.
    Text(Box<str>),
}

impl Uuids {
    pub(crate) fn insert(&mut self, uuid: &str) {
        let id = Id::of(uuid);
        if let Id::Text(text) = &id {
            self.texts += text.len();
        }
        self.known.insert(id);
    }

    pub(crate) fn contains(&self, uuid: &str) -> bool {
        self.known.contains(&Id::of(uuid))
    }

    pub(crate) fn are_too_many(&self) -> bool {
        self.bytes() > MOST
    }

    /// Returns the approximate size of the set, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.known.len() * BYTES + self.texts
    }
}

impl Id {
    fn of(text: &str) -> Self {
        match Uuid::try_parse(text) {
            // A UUID has several texts. The store compares texts, so only the usual form is shortened.
            Ok(uuid) if uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == text => {
                Self::Uuid(uuid)
            }
            _ => Self::Text(text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared() {
        let lower = "a0000000-0000-4000-8000-000000000001";
        let mut uuids = Uuids::default();
        uuids.insert(lower);
        uuids.insert("u");
        assert!(uuids.contains(lower) && uuids.contains("u"));
        for other in [
            "A0000000-0000-4000-8000-000000000001",
            "a0000000000040008000000000000001",
            "{a0000000-0000-4000-8000-000000000001}",
            "",
        ] {
            assert!(!uuids.contains(other), "{other}");
        }
    }
}
