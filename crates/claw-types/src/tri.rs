//! A key that may be absent, null or there, and means something else each time.

/// A value that an object may lack, hold as `null`, or hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way")]
pub enum Tri<T> {
    /// The key is not there.
    #[default]
    Absent,
    /// The key is there and says `null`.
    Null,
    /// The key is there.
    Value(T),
}

impl<T> Tri<T> {
    /// Whether the key is not there.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The same by the name that it has on `Option`, for what the derives write.
    pub(crate) fn as_ref(&self) -> Option<&T> {
        self.value()
    }

    /// Takes over what a later object says; one that says nothing changes nothing.
    pub(crate) fn update(&mut self, later: &Self)
    where
        T: Clone,
    {
        if !later.is_absent() {
            self.clone_from(later);
        }
    }

    pub(crate) fn from_nullable(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T> From<T> for Tri<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}
