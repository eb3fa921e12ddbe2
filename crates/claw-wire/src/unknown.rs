//! Objects that claw does not know.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::{Failed, Json, UntypedReason, Write, Writer, by_writer};

/// An object whose tag this version of the library does not know: a message, content block, stream event or request of
/// a newer CLI, or an object without a tag. The object is kept, and written again unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown(Json);

impl Unknown {
    /// Creates a value from a JSON object. Meant for claw-types.
    #[doc(hidden)]
    pub fn new(json: Json) -> Self {
        Self(json)
    }

    /// Returns the whole object.
    pub fn json(&self) -> &Json {
        &self.0
    }

    /// Returns the value of a key, such as `type` or `uuid`, if the value is a text.
    pub fn text(&self, key: &str) -> Option<String> {
        self.0.get(key)?.parse().ok()
    }

    /// Returns the kind of the object: its `type`, followed by a slash and its `subtype` if it has one. Empty if the
    /// object has no `type`.
    pub fn kind(&self) -> Cow<'_, str> {
        let kind = self.text("type").unwrap_or_default();
        match self.text("subtype") {
            Some(sub) => format!("{kind}/{sub}").into(),
            None => kind.into(),
        }
    }
}

impl Write for Unknown {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Failed> {
        writer.json(&self.0, UntypedReason::Kind);
        Ok(())
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        by_writer(self, serializer)
    }
}
