//! Values that are told apart by their shape: text, a number, a list or an object.

/// Declares an enum whose variants each read one shape of JSON. At most one variant a shape.
macro_rules! by_shape {
    (
        $(#[doc = $doc:literal])+
        $name:ident, $expecting:literal {
            $($(#[doc = $variant_doc:literal])+ $shape:ident $variant:ident($type:ty),)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[doc = $variant_doc])+ $variant($type),)+
        }

        $(impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })+

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)+
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ShapeVisitor;
                impl<'de> serde::de::Visitor<'de> for ShapeVisitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expecting)
                    }
                    $($crate::by_shape::visit!($shape $name::$variant($type));)+
                }
                deserializer.deserialize_any(ShapeVisitor)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let members = [$($crate::by_shape::member!(
                    $shape, generator.subschema_for::<$type>().to_value()
                )),+];
                schemars::json_schema!({
                    "description": $crate::schema::tidy(concat!($($doc, "\n"),+)),
                    "anyOf": members
                })
            }
        }
    };
}
pub(crate) use by_shape;

/// The visitor's methods for one shape.
macro_rules! visit {
    (text $name:ident::$variant:ident($type:ty)) => {
        fn visit_str<E>(self, text: &str) -> Result<$name, E> {
            Ok($name::$variant(text.into()))
        }
    };
    (number $name:ident::$variant:ident($type:ty)) => {
        fn visit_u64<E>(self, number: u64) -> Result<$name, E> {
            Ok($name::$variant(number.into()))
        }
        fn visit_i64<E>(self, number: i64) -> Result<$name, E> {
            Ok($name::$variant(number.into()))
        }
        fn visit_f64<E>(self, number: f64) -> Result<$name, E> {
            Ok($name::$variant(number.into()))
        }
    };
    (list $name:ident::$variant:ident($type:ty)) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, list: A) -> Result<$name, A::Error> {
            let list = serde::de::value::SeqAccessDeserializer::new(list);
            serde::Deserialize::deserialize(list).map($name::$variant)
        }
    };
    (object $name:ident::$variant:ident($type:ty)) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
            let map = serde::de::value::MapAccessDeserializer::new(map);
            serde::Deserialize::deserialize(map).map($name::$variant)
        }
    };
}
pub(crate) use visit;

/// The schema of one shape: a free-form value says at least that it is an object.
#[cfg(feature = "schema")]
macro_rules! member {
    (object, $schema:expr) => {{
        let mut schema = $schema;
        if schema.as_object().is_some_and(serde_json::Map::is_empty) {
            schema = serde_json::json!({ "type": "object" });
        }
        schema
    }};
    ($shape:ident, $schema:expr) => {
        $schema
    };
}
#[cfg(feature = "schema")]
pub(crate) use member;
