//! Named lists: results that are not objects.

/// Declares a struct that is a list on the wire.
macro_rules! list_of {
    ($(#[doc = $doc:literal])+ $name:ident($item:ty)) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Default)]
        #[non_exhaustive]
        pub struct $name(
            /// The items, in the order in which the JSON lists them.
            pub Vec<$item>,
        );

        impl From<Vec<$item>> for $name {
            fn from(items: Vec<$item>) -> Self {
                Self(items)
            }
        }

        $crate::wire::by_text!($name);

        impl $crate::wire::Write for $name {
            fn write(&self, writer: &mut $crate::wire::Writer<'_>) -> Result<(), $crate::wire::Failed> {
                writer.list(&self.0)
            }
        }

        impl $crate::wire::Read for $name {
            fn read(parser: &mut $crate::wire::Parser<'_>) -> Result<Self, $crate::wire::Failed> {
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
