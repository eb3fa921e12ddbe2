//! What claw does not know, kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Json, wire};

/// An object whose tag claw does not know: a message, content block, stream event or request of a
/// newer CLI, or one without a tag. Kept as it came and sent on unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown(Json);

impl Unknown {
    pub(crate) fn new(json: Json) -> Self {
        Self(json)
    }

    /// The whole object.
    pub fn json(&self) -> &Json {
        &self.0
    }

    /// The text of one of its keys, such as `type` or `uuid`, where it is text.
    pub fn text(&self, key: &str) -> Option<String> {
        self.0.field(key)?.get().ok()
    }

    /// The kind, as it stands on the wire: the `type`, and behind a slash the `subtype` where there
    /// is one. Empty where it has no type.
    pub fn kind(&self) -> Cow<'_, str> {
        let kind = self.text("type").unwrap_or_default();
        match self.text("subtype") {
            Some(sub) => format!("{kind}/{sub}").into(),
            None => kind.into(),
        }
    }
}

/// Key by key, not as one text: somebody's `flatten` or `tag` puts keys of its own beside them.
impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pairs: Pairs<'_> =
            serde_json::from_str(self.0.as_raw()).map_err(serde::ser::Error::custom)?;
        serializer.serialize_newtype_struct(wire::KIND, &pairs)
    }
}

/// The keys of an object in order, with the text of their values.
struct Pairs<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}
