//! Objects that are distinguished by a key that only one of them has.

use std::fmt;

use crate::wire::{Failed, Parser};

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
                #[doc = concat!("\n\nThis kind is recognised by the key `", $key, "` of the JSON object.")]
                $variant(Box<$type>),
            )+
            /// An object of an unknown kind: it has none of the keys that distinguish the kinds.
            Unknown($crate::Unknown),
        }

        impl $name {
            /// Whether the object is of a kind that this version of claw does not know. Such an object is kept and sent
            /// on unchanged.
            pub fn is_unknown(&self) -> bool {
                matches!(self, Self::Unknown(_))
            }
        }

        $(impl From<$type> for $name {
            #[inline]
            fn from(value: $type) -> Self {
                Self::$variant(Box::new(value))
            }
        })+

        impl $crate::by_key::ByKey for $name {
            const KEYS: &'static [&'static str] = &[$($key),+];

            fn read_as(
                key: &str,
                parser: &mut $crate::wire::Parser<'_>,
            ) -> Result<Self, $crate::wire::Failed> {
                match key {
                    $($key => $crate::wire::Read::read(parser).map(Self::$variant),)+
                    _ => {
                        let json = $crate::wire::Read::read(parser)?;
                        Ok(Self::Unknown($crate::Unknown::new(json)))
                    }
                }
            }
        }

        impl $crate::wire::Read for $name {
            fn read(parser: &mut $crate::wire::Parser<'_>) -> Result<Self, $crate::wire::Failed> {
                let key = $crate::by_key::find(parser, <Self as $crate::by_key::ByKey>::KEYS)?;
                <Self as $crate::by_key::ByKey>::read_as(key, parser)
            }
        }

        $crate::wire::by_text!($name);

        impl $crate::wire::Write for $name {
            fn write(&self, writer: &mut $crate::wire::Writer<'_>) -> Result<(), $crate::wire::Failed> {
                match self {
                    $(Self::$variant(value) => $crate::wire::Write::write(value, writer),)+
                    Self::Unknown(value) => $crate::wire::Write::write(value, writer),
                }
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
                union.distinguished_by(<Self as $crate::by_key::ByKey>::KEYS).finish()
            }
        }
    };
}
pub(crate) use by_key;

/// An enum whose variants are distinguished by a key.
pub(crate) trait ByKey: Sized {
    /// The keys. No object has two of them.
    const KEYS: &'static [&'static str];

    /// Reads the object that has this key. Any key that is not in the list reads as `Unknown`.
    fn read_as(key: &str, parser: &mut Parser<'_>) -> Result<Self, Failed>;
}

/// The description of an expected object of such an enum, for errors.
struct OneOf(&'static [&'static str]);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with one of the keys {}", self.0.join(", "))
    }
}

/// Finds the first of these keys that the object has, without consuming the object. Empty if the
/// object has none of them. Not generic, so that it is compiled once for all such enums.
pub(crate) fn find(
    parser: &mut Parser<'_>,
    keys: &'static [&'static str],
) -> Result<&'static str, Failed> {
    let start = parser.start();
    parser.open(b'{', &OneOf(keys))?;
    let mut begun = false;
    while parser.more(&mut begun, b'}')? {
        let text = parser.key()?;
        let name = parser.unescaped(&text);
        if let Some(key) = keys.iter().find(|key| **key == name) {
            parser.reopen(start);
            return Ok(key);
        }
        parser.skip()?;
    }
    parser.seek(start);
    Ok("")
}

#[cfg(all(test, feature = "schema"))]
mod tests;
