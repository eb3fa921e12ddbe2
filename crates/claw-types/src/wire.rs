//! What the code that `#[wire]` generates uses: claw-wire's reader and writer, and traits that the types of this crate
//! share.

#[cfg(test)]
mod checks;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use checks::{NotAnOption, Probe, assert_apart, assert_distinct};
pub(crate) use claw_wire::*;

use std::borrow::Cow;

use crate::{MessageUuid, SessionId, ToolUseId};

/// The constant keys of a struct, in the order in which they decide.
pub(crate) trait Tagged {
    const TAGS: Tags;
}

/// A top-level message.
pub(crate) trait Enveloped {
    fn envelope(&self) -> Envelope<'_>;
}

/// The fields that most top-level messages have.
pub(crate) struct Envelope<'a> {
    pub(crate) uuid: Option<&'a MessageUuid>,
    pub(crate) session_id: Option<&'a SessionId>,
    pub(crate) parent_tool_use_id: Option<&'a ToolUseId>,
    /// The type, followed by a slash and the subtype if the subtype is a constant.
    pub(crate) kind: &'static str,
    /// The subtype, if it is not a constant.
    pub(crate) subtype: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// Returns the type, followed by a slash and the subtype if there is one.
    pub(crate) fn kind(&self) -> Cow<'a, str> {
        match self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind).into(),
            None => self.kind.into(),
        }
    }
}

/// A struct that has the same tags as a wider struct, from which its body distinguishes it.
pub(crate) trait Narrow<Wide>: Sized {
    /// Whether the wider struct has the body of this struct.
    fn is_meant(wide: &Wide) -> bool;

    /// Converts the wider struct to this struct.
    fn narrow(wide: Wide) -> Result<Self, MissingField>;
}

/// A field that the narrower struct requires and the wider struct does not have.
pub(crate) struct MissingField {
    pub(crate) field: &'static str,
    /// Whether the field was present, and null.
    pub(crate) is_null: bool,
}

impl MissingField {
    /// Records that the line lacks the field.
    #[cold]
    pub(crate) fn fail_at(self, parser: &mut Parser<'_>) -> Failed {
        if self.is_null {
            parser.fail_at(parser.position(), "invalid type: null, expected a string");
            parser.inside(self.field)
        } else {
            parser.missing(self.field)
        }
    }
}

/// Implements serde's traits for a type that reads and writes itself.
macro_rules! by_text {
    ($name:ty) => {
        $crate::wire::serialize_by_text!($name);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::from_text(deserializer)
            }
        }
    };
}
pub(crate) use by_text;

/// Implements serde's `Serialize` for a type that writes itself.
macro_rules! serialize_by_text {
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::wire::by_writer(self, serializer)
            }
        }
    };
}
pub(crate) use serialize_by_text;
