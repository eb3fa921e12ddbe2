//! What claw does not know, kept.

use std::borrow::Cow;

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
        self.0.get(key)?.parse().ok()
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

impl wire::Write for Unknown {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::GaveUp> {
        writer.json(&self.0, wire::Kept::Kind);
        Ok(())
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        wire::by_writer(self, serializer)
    }
}
