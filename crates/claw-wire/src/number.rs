//! Numbers, as they were written.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number: an integer or a float. It is written in the form in which it was read. For example, a cost of zero that
/// the CLI wrote as `0` is not written as `0.0`. An integer that needs more than 64 bits is read as the nearest float.
#[derive(Clone, Copy, PartialEq)]
pub struct Number(pub(crate) Repr);

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Repr {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Number {
    /// Returns the value as a float. An integer above 2⁵³ is rounded.
    #[expect(clippy::cast_precision_loss, reason = "as documented")]
    pub fn as_f64(&self) -> f64 {
        match self.0 {
            Repr::Unsigned(n) => n as f64,
            Repr::Signed(n) => n as f64,
            Repr::Float(n) => n,
        }
    }

    /// Returns the value if it is a non-negative integer that fits into a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Repr::Unsigned(n) => Some(n),
            _ => None,
        }
    }

    /// Returns the value if it is an integer that fits into an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Unsigned(n) => i64::try_from(n).ok(),
            Repr::Signed(n) => Some(n),
            Repr::Float(_) => None,
        }
    }
}

impl Default for Number {
    fn default() -> Self {
        Self(Repr::Unsigned(0))
    }
}

impl From<u64> for Number {
    fn from(n: u64) -> Self {
        Self(Repr::Unsigned(n))
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Self(u64::try_from(n).map_or(Repr::Signed(n), Repr::Unsigned))
    }
}

impl From<u32> for Number {
    fn from(n: u32) -> Self {
        u64::from(n).into()
    }
}

impl From<i32> for Number {
    fn from(n: i32) -> Self {
        i64::from(n).into()
    }
}

impl From<usize> for Number {
    fn from(n: usize) -> Self {
        Count::from(n).into()
    }
}

impl From<f64> for Number {
    fn from(n: f64) -> Self {
        Self(Repr::Float(n))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Unsigned(n) => n.fmt(f),
            Repr::Signed(n) => n.fmt(f),
            Repr::Float(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Repr::Unsigned(n) => serializer.serialize_u64(n),
            Repr::Signed(n) => serializer.serialize_i64(n),
            Repr::Float(n) => serializer.serialize_f64(n),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, n: u64) -> Result<Number, E> {
        Ok(n.into())
    }

    fn visit_i64<E>(self, n: i64) -> Result<Number, E> {
        Ok(n.into())
    }

    fn visit_f64<E>(self, n: f64) -> Result<Number, E> {
        Ok(n.into())
    }
}

/// A count: an integer that is not negative. A value such as `1.0` is also accepted, because some programs have only
/// floats. It is written as `1.0` again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Count {
    value: u64,
    float: bool,
}

/// 2⁶⁴: below it, an integer that a float holds is a `u64` too.
const TOO_LARGE: f64 = 18_446_744_073_709_551_616.0;

impl Count {
    /// Returns the count as an integer.
    pub fn get(self) -> u64 {
        self.value
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self {
            value,
            float: false,
        }
    }
}

macro_rules! counts {
    ($($unsigned:ty),+) => {$(
        impl From<$unsigned> for Count {
            fn from(value: $unsigned) -> Self {
                u64::from(value).into()
            }
        }
    )+};
}

counts!(u8, u16, u32);

macro_rules! counts_of_something {
    ($($nonzero:ty),+) => {$(
        impl From<$nonzero> for Count {
            fn from(value: $nonzero) -> Self {
                value.get().into()
            }
        }
    )+};
}

counts_of_something!(NonZeroU32, NonZeroU64, NonZeroUsize);

impl From<usize> for Count {
    fn from(value: usize) -> Self {
        // A `usize` has at most 64 bits.
        u64::try_from(value).unwrap_or(u64::MAX).into()
    }
}

/// Converts an integer literal without a suffix, which is an `i32`.
///
/// # Panics
/// Panics if the value is negative. A negative value is not replaced by 0, because 0 has a special meaning in many
/// options.
impl From<i32> for Count {
    #[track_caller]
    fn from(value: i32) -> Self {
        let count = u64::try_from(value);
        assert!(count.is_ok(), "a count cannot be negative: {value}");
        count.unwrap_or_default().into()
    }
}

impl From<Count> for u64 {
    fn from(count: Count) -> Self {
        count.value
    }
}

impl PartialEq<u64> for Count {
    fn eq(&self, other: &u64) -> bool {
        self.value == *other
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Number::from(*self).serialize(serializer)
    }
}

impl From<Count> for Number {
    #[expect(
        clippy::cast_precision_loss,
        reason = "only what a float held is marked as one"
    )]
    fn from(count: Count) -> Self {
        if count.float {
            Self(Repr::Float(count.value as f64))
        } else {
            count.value.into()
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not `deserialize_u64`: serde's own buffer (under `flatten`, `tag`, `untagged`) then
        // rejects `1.0`. When asked for a float, every source delivers its value, integers too.
        deserializer.deserialize_f64(CountVisitor)
    }
}

struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a count (an integer, zero or more)")
    }

    fn visit_u64<E>(self, n: u64) -> Result<Count, E> {
        Ok(n.into())
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<Count, E> {
        match u64::try_from(n) {
            Ok(n) => Ok(n.into()),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(n), &self)),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked"
    )]
    fn visit_f64<E: Error>(self, n: f64) -> Result<Count, E> {
        if n.fract() == 0.0 && (0.0..TOO_LARGE).contains(&n) && n.is_sign_positive() {
            Ok(Count {
                value: n as u64,
                float: true,
            })
        } else {
            Err(E::invalid_value(Unexpected::Float(n), &self))
        }
    }
}

#[cfg(feature = "schema")]
mod schema {
    use super::{Count, Number};

    impl schemars::JsonSchema for Number {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Number".into()
        }
        fn inline_schema() -> bool {
            true
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "number" })
        }
    }

    impl schemars::JsonSchema for Count {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Count".into()
        }
        fn inline_schema() -> bool {
            true
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "integer", "minimum": 0 })
        }
    }
}
