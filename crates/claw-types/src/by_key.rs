//! Objects that are told apart by nothing but a key that one has and the others have not.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};

use crate::{Json, wire};

/// Declares an enum whose variants each hold the objects that have a certain key. An object that
/// has none of the keys becomes `Unknown`.
macro_rules! by_key {
    (
        $(#[doc = $doc:literal])+
        $name:ident {
            $($(#[doc = $variant_doc:literal])+ $key:literal $variant:ident($type:ty),)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[doc = $variant_doc])+
                #[doc = concat!("\n\nHas the key `", $key, "`.")]
                $variant(Box<$type>),
            )+
            /// An object that has none of the keys: of a kind that claw does not know.
            Unknown($crate::Unknown),
        }

        impl $name {
            /// Whether this is a kind that claw does not know: kept as it came, sent on unchanged.
            pub fn is_unknown(&self) -> bool {
                matches!(self, Self::Unknown(_))
            }
        }

        $(impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self::$variant(Box::new(value))
            }
        })+

        impl $crate::by_key::ByKey for $name {
            const KEYS: &'static [&'static str] = &[$($key),+];

            fn read(key: &str, object: $crate::Json) -> Result<Self, serde_json::Error> {
                match key {
                    $($key => object.get().map(Self::$variant),)+
                    _ => Ok(Self::Unknown($crate::Unknown::new(object))),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)+
                    Self::Unknown(value) => value.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map($crate::by_key::ByKeyVisitor::new())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut union = $crate::schema::UnionSchema::new(concat!($($doc, "\n"),+));
                $(union.member::<$type>(generator);)+
                union.told_by(<Self as $crate::by_key::ByKey>::KEYS).finish()
            }
        }
    };
}
pub(crate) use by_key;

/// An enum whose variants are told by a key.
pub(crate) trait ByKey: Sized {
    /// The keys; no object has two of them.
    const KEYS: &'static [&'static str];

    /// Reads the object that has this key; any other than those is for `Unknown`.
    fn read(key: &str, object: Json) -> Result<Self, serde_json::Error>;
}

pub(crate) struct ByKeyVisitor<T>(PhantomData<T>);

impl<T> ByKeyVisitor<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: ByKey> Visitor<'de> for ByKeyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with one of the keys {}", T::KEYS.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let (key, mut map) = wire::until(map, |key| T::KEYS.contains(&key))?;
        let object = wire::rebuild(&mut map)?;
        T::read(key.as_deref().unwrap_or_default(), object)
            .map_err(|error| A::Error::custom(crate::error::unplaced(&error)))
    }
}

#[cfg(all(test, feature = "schema"))]
mod tests;
