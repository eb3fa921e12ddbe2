//! A key that can be absent, null or present, with a different meaning each.

/// The value of a key that can be absent, be null, or have a value.
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

    /// Does the same as [`value`](Self::value). The method has the name that `Option` uses, so that generated code can
    /// call it for both types.
    #[doc(hidden)]
    pub fn as_ref(&self) -> Option<&T> {
        self.value()
    }

    /// Takes over the value from a later object. If the key is absent there, nothing changes.
    #[doc(hidden)]
    pub fn update(&mut self, later: &Self)
    where
        T: Clone,
    {
        if !later.is_absent() {
            self.clone_from(later);
        }
    }

    /// Creates the value of a key that is present: `Some` is its value, and `None` is null. Meant for claw-types.
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
