//! What claw does not know, kept.

use serde::de::MapAccess;
use serde::{Serialize, Serializer};

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

    pub(crate) fn read<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        wire::rebuild(&mut map).map(Self)
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
