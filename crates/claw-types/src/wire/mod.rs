//! What `#[wire]` stands on: reading objects and unions in one pass, and writing them.

#[cfg(test)]
mod checks;
mod classify;
mod fault;
mod gave_up;
mod line;
mod object;
mod parser;
mod path;
mod raw;
mod read;
mod scan;
mod surrogate;
mod union;
mod writer;
mod written;

#[cfg(test)]
pub(crate) use checks::{NotAnOption, Probe, assert_apart, assert_distinct};
pub(crate) use classify::{Found, Index, Sub, Tags};
pub(crate) use gave_up::GaveUp;
pub(crate) use line::decode_line;
pub(crate) use object::{Member, Need, Object, Place, Shape, fill};
pub(crate) use parser::Parser;
pub(crate) use path::{prefix, split};
pub(crate) use raw::{RawText, boxed};
#[cfg(any(feature = "tools", feature = "transcript", feature = "dialect"))]
pub(crate) use read::read_text;
pub(crate) use read::{Read, from_text};
pub(crate) use surrogate::repair;
pub(crate) use union::{Union, read_union, sub_key};
pub(crate) use writer::{Kept, Write, Writer, append_line};
pub(crate) use written::{Written, by_writer, marked};
pub(crate) use written::{by_text, serialize_by_text};

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

/// What most top-level messages have.
pub(crate) struct Envelope<'a> {
    pub(crate) uuid: Option<&'a MessageUuid>,
    pub(crate) session_id: Option<&'a SessionId>,
    pub(crate) parent_tool_use_id: Option<&'a ToolUseId>,
    /// The type, and the subtype behind a slash where it is a constant.
    pub(crate) kind: &'static str,
    /// The subtype where any will do.
    pub(crate) subtype: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// The type, and the subtype behind a slash.
    pub(crate) fn kind(&self) -> Cow<'a, str> {
        match self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind).into(),
            None => self.kind.into(),
        }
    }
}

/// A struct that shares its tags with a wider one, and is told from it by its body.
pub(crate) trait Narrow<Wide>: Sized {
    /// Whether the wider one means this one.
    fn is_meant(wide: &Wide) -> bool;

    /// Takes the wider one over.
    fn narrow(wide: Wide) -> Result<Self, Lacks>;
}

/// A field that the narrower struct requires, and the wider one did not have.
pub(crate) struct Lacks {
    pub(crate) field: &'static str,
    /// It was there, and null.
    pub(crate) is_null: bool,
}

impl Lacks {
    /// What is said of a line that lacks it.
    #[cold]
    pub(crate) fn blame(self, parser: &mut Parser<'_>) -> GaveUp {
        if self.is_null {
            parser.blame(parser.here(), "invalid type: null, expected a string");
            parser.inside(self.field)
        } else {
            parser.missing(self.field)
        }
    }
}
