//! A key that can be absent, null or present, with a different meaning each.

/// The value of a key that can be absent, null, or present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way")]
pub enum Tri<T> {
    /// The key is absent.
    #[default]
    Absent,
    /// The key is present with the value `null`.
    Null,
    /// The key is present with a value.
    Value(T),
}

impl<T> Tri<T> {
    /// Whether the key is absent.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns the value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value under the name that `Option` uses, for the derive macros.
    #[doc(hidden)]
    pub fn as_ref(&self) -> Option<&T> {
        self.value()
    }

    /// Updates the value from a later object. An absent key changes nothing.
    #[doc(hidden)]
    pub fn update(&mut self, later: &Self)
    where
        T: Clone,
    {
        if !later.is_absent() {
            self.clone_from(later);
        }
    }

    /// For claw-types: a value that is there, and may be null.
    #[doc(hidden)]
    pub fn from_nullable(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T> From<T> for Tri<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}
