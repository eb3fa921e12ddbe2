//! Fields that claw does not know.

use std::fmt;

use crate::Json;
use crate::map::{keep_last, same_pairs};

/// The unknown fields of a JSON object: those that its Rust type does not have. They keep the order in which they were
/// read.
///
/// If the object is written again, these fields are written too. A `null` in an optional field is also kept here,
/// because a field that is `None` is not written. An `Extra` is one pointer wide, because most objects have no such
/// fields.
#[derive(Clone, Default)]
pub struct Extra(Option<Box<Pairs>>);

type Pairs = Vec<(Box<str>, Json)>;

impl Extra {
    /// Whether the object has no unknown fields.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the number of unknown fields.
    pub fn len(&self) -> usize {
        self.pairs().len()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.pairs()
            .iter()
            .find(|(k, _)| **k == *key)
            .map(|(_, value)| value)
    }

    /// Sets the value of a key. If the type itself has a field with this key, this value is written only if that field
    /// is `None`.
    pub fn insert(&mut self, key: impl Into<Box<str>>, value: Json) {
        let key = key.into();
        let pairs = self.0.get_or_insert_default();
        match pairs.iter_mut().find(|(k, _)| *k == key) {
            Some(pair) => pair.1 = value,
            None => pairs.push((key, value)),
        }
    }

    /// Removes a key, and returns the value that the key had.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let pairs = self.0.as_mut()?;
        let at = pairs.iter().position(|(k, _)| **k == *key)?;
        let (_, value) = pairs.remove(at);
        if pairs.is_empty() {
            self.0 = None;
        }
        Some(value)
    }

    /// Returns an iterator over keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.pairs().iter().map(|(key, value)| (&**key, value))
    }

    fn pairs(&self) -> &[(Box<str>, Json)] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Creates the fields from pairs. Of a duplicate key, the last value counts.
    #[inline]
    pub(crate) fn from_pairs(pairs: Pairs) -> Self {
        if pairs.is_empty() {
            Self(None)
        } else {
            Self::kept(pairs)
        }
    }

    fn kept(mut pairs: Pairs) -> Self {
        keep_last(&mut pairs);
        Self(Some(Box::new(pairs)))
    }
}

/// Two sets of fields are equal if they have the same keys with the same values, in any order.
impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        same_pairs(self.pairs(), other.pairs())
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
