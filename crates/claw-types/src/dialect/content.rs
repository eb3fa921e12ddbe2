//! What a user says: text, or blocks of either age.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::OldContentBlock;
use crate::wire;

/// Plain text, or blocks of an old or today's form.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "text or a list; anything else is malformed"
)]
pub enum OldContent {
    /// Plain text, which means one text block.
    Text(String),
    /// Blocks.
    Blocks(Vec<OldContentBlock>),
}

impl Serialize for OldContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OldContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = OldContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a list of content blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<OldContent, E> {
        Ok(OldContent::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OldContent, A::Error> {
        let wire::Indexed(blocks) = Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(OldContent::Blocks(blocks))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OldContent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OldContent".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let blocks = generator.subschema_for::<Vec<OldContentBlock>>();
        schemars::json_schema!({
            "description": "Plain text, or blocks of an old or today's form.",
            "anyOf": [{ "type": "string" }, blocks]
        })
    }
}
