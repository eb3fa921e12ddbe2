//! A value that is always the same.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire;

/// The JSON value `true` as a type, which has no other value. An optional field of this type is either absent or
/// `true`. A required field of this type distinguishes one kind of message from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for True {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TrueVisitor;
        impl Visitor<'_> for TrueVisitor {
            type Value = True;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true")
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<True, E> {
                if value {
                    Ok(True)
                } else {
                    Err(E::invalid_value(Unexpected::Bool(value), &self))
                }
            }
        }
        deserializer.deserialize_bool(TrueVisitor)
    }
}

impl wire::Write for True {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::Failed> {
        true.write(writer)
    }
}

impl wire::Read for True {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::Failed> {
        wire::by_serde(parser)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for True {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "True".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "boolean", "enum": [true] })
    }
}
