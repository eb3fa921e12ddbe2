//! Lists that have a name: results that are no objects.

/// Declares a struct that is a list on the wire.
macro_rules! list_of {
    ($(#[doc = $doc:literal])+ $name:ident($item:ty)) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Default)]
        #[non_exhaustive]
        pub struct $name(
            /// What is in it, in the order of the wire.
            pub Vec<$item>,
        );

        impl From<Vec<$item>> for $name {
            fn from(items: Vec<$item>) -> Self {
                Self(items)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::by_text(deserializer)
            }
        }

        impl $crate::wire::Read for $name {
            fn read(parser: &mut $crate::wire::Parser<'_>) -> Result<Self, $crate::wire::GaveUp> {
                $crate::wire::Read::read(parser).map(Self)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "array",
                    "description": $crate::schema::tidy(concat!($($doc, "\n"),+)),
                    "items": generator.subschema_for::<$item>()
                })
            }
        }
    };
}
pub(crate) use list_of;
