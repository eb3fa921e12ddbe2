//! Keys and tags of structs, which need no escape.

use serde::{Serialize, Serializer};

/// The newtype's name, which serde's formats pass over; claw's own writer looks for nothing to escape then.
pub(super) const NAME: &str = "$claw::name";

/// A key or a tag.
pub(crate) struct Name(&'static str);

impl Name {
    /// Refuses what would need an escape, when it is compiled.
    pub(crate) const fn new(text: &'static str) -> Self {
        let mut rest = text.as_bytes();
        while let [first, behind @ ..] = rest {
            assert!(first.is_ascii_graphic() && *first != b'"' && *first != b'\\');
            rest = behind;
        }
        Self(text)
    }
}

impl Serialize for Name {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, self.0)
    }
}
