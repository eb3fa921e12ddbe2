//! Enumerations that the CLI may extend at any time.

use crate::wire::{Failed, Parser};

/// Declares an open enumeration: named values as associated constants, which work as `match` patterns, and can also
/// hold any other text. 16 bytes wide. A known value needs no allocation.
macro_rules! open_enum {
    (
        $(#[doc = $doc:literal])+
        $name:ident {
            $($(#[doc = $value_doc:literal])+ $constant:ident = $place:literal $text:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        ///
        /// Other values are possible: claw accepts any text and passes it on unchanged. Compare with the constants, or
        /// `match` on them.
        #[derive(Clone, PartialEq, Hash)]
        pub struct $name($crate::open_enum::Value);

        impl Eq for $name {}

        #[expect(non_upper_case_globals, reason = "constants stand for variants, in patterns too")]
        impl $name {
            $(
                $(#[doc = $value_doc])+
                #[doc = concat!("\n\nIn JSON: `", $text, "`.")]
                pub const $constant: Self =
                    Self($crate::open_enum::Value::Known($place));
            )+

            /// The texts of all values that this version of claw knows.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the text of the value, as messages contain it.
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.text(Self::KNOWN)
            }

            /// Whether this version of claw knows this value.
            #[inline]
            pub fn is_known(&self) -> bool {
                matches!(self.0, $crate::open_enum::Value::Known(_))
            }
        }

        impl AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                Self($crate::open_enum::Value::new(Self::KNOWN, text))
            }
        }

        impl From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                text.as_str().into()
            }
        }

        impl std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::open_enum::ValueVisitor(Self::KNOWN)).map(Self)
            }
        }

        impl $crate::wire::Write for $name {
            #[inline]
            fn write(&self, writer: &mut $crate::wire::Writer<'_>) -> Result<(), $crate::wire::Failed> {
                writer.text(self.as_str());
                Ok(())
            }
        }

        impl $crate::wire::Read for $name {
            #[inline]
            fn read(parser: &mut $crate::wire::Parser<'_>) -> Result<Self, $crate::wire::Failed> {
                match $crate::open_enum::Value::read(Self::KNOWN, parser) {
                    Ok(value) => Ok(Self(value)),
                    Err(error) => Err(error),
                }
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::open_enum(
                    concat!($($doc, "\n"),+),
                    &[$(($text, concat!($($value_doc, "\n"),+))),+],
                )
            }
        }
    };
}
pub(crate) use open_enum;

/// The index of a known value, or the text of another one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Known(u16),
    Other(Box<str>),
}

impl Value {
    pub(crate) fn new(known: &'static [&'static str], text: &str) -> Self {
        match known
            .iter()
            .position(|k| *k == text)
            .and_then(|at| u16::try_from(at).ok())
        {
            Some(at) => Self::Known(at),
            None => Self::Other(text.into()),
        }
    }

    pub(crate) fn read(
        known: &'static [&'static str],
        parser: &mut Parser<'_>,
    ) -> Result<Self, Failed> {
        parser.text("text").map(|text| Self::new(known, text))
    }

    pub(crate) fn text<'a>(&'a self, known: &'static [&'static str]) -> &'a str {
        match self {
            Self::Known(at) => known[usize::from(*at)],
            Self::Other(text) => text,
        }
    }
}

pub(crate) struct ValueVisitor(pub(crate) &'static [&'static str]);

impl serde::de::Visitor<'_> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::new(self.0, text))
    }
}
