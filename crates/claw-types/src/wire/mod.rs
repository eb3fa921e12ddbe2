//! What `#[wire]` stands on: reading objects and unions in one pass, and writing them.

mod classify;
mod fault;
mod gave_up;
mod kept;
mod line;
mod name;
mod object;
mod parser;
mod path;
mod raw;
mod read;
mod scan;
mod surrogate;
mod union;
mod writer;

#[cfg(feature = "internal")]
pub(crate) use classify::assert_apart;
pub(crate) use classify::{Found, Index, Sub, Tags, assert_distinct};
pub(crate) use gave_up::GaveUp;
pub(crate) use kept::{FIELD, KIND, NULL, append_kept};
pub(crate) use line::decode_line;
pub(crate) use name::Name;
pub(crate) use object::{Member, Need, Object, Place, Shape, fill};
pub(crate) use parser::Parser;
pub(crate) use path::{prefix, split};
pub(crate) use raw::{RawText, boxed};
#[cfg(any(feature = "tools", feature = "transcript", feature = "dialect"))]
pub(crate) use read::read_text;
pub(crate) use read::{Read, by_text};
#[cfg(feature = "dialect")]
pub(crate) use surrogate::repair;
pub(crate) use union::{Union, read_union, sub_key};
pub(crate) use writer::append_line;

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::{MessageUuid, SessionId, ToolUseId};

/// The constant keys of a struct, in the order in which they decide.
pub(crate) trait Tagged {
    const TAGS: Tags;
}

/// The fields that most top-level messages share.
pub(crate) trait Envelope {
    fn uuid(&self) -> Option<&MessageUuid>;
    fn session_id(&self) -> Option<&SessionId>;
    fn parent_tool_use_id(&self) -> Option<&ToolUseId>;
    /// The type, and the subtype behind a slash.
    fn kind(&self) -> Cow<'_, str>;
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

/// Tells an `Option` from anything else at compile time: the inherent constant of the one is found
/// before the trait's.
pub(crate) struct Probe<T>(PhantomData<T>);

pub(crate) trait NotAnOption {
    const IS_OPTION: bool = false;
}

impl<T> NotAnOption for Probe<T> {}

impl<T> Probe<Option<T>> {
    #[allow(
        dead_code,
        reason = "named only where a field is an alias of Option, which is refused"
    )]
    pub(crate) const IS_OPTION: bool = true;
}
