//! What the derives stand on: reading objects and unions in one pass, from any serde source.

mod chain;
mod classify;
mod gave_up;
mod kept;
mod line;
mod name;
mod object;
mod parser;
mod path;
mod raw;
mod scan;
mod surrogate;
mod union;
mod writer;

pub(crate) use chain::{rebuild, until};
pub(crate) use classify::{Found, Index, Sub, Tags, assert_distinct};
pub(crate) use kept::{FIELD, KIND, NULL, append_kept};
pub(crate) use line::decode_line;
pub(crate) use name::Name;
pub(crate) use object::{
    Key, Keys, Object, ObjectVisitor, Place, expect_tag, forget, keep, next_key, null_pair, refuse,
    value,
};
pub(crate) use path::{Indexed, prefix, split};
pub(crate) use raw::owned_raw;
pub(crate) use surrogate::repair;
pub(crate) use union::{Union, read_union};
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
    pub(crate) fn error<E: serde::de::Error>(self) -> E {
        if self.is_null {
            let null = serde::de::Unexpected::Unit;
            prefix(self.field, &E::invalid_type(null, &"a string"))
        } else {
            E::missing_field(self.field)
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
