//! What is kept without a type, marked where it is written.
//!
//! The marks are names of newtypes, which serde's formats pass over; [`untyped`](crate::untyped) sees them
//! go by.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::object::Shape;
use crate::{Extra, Json};

/// A field that the struct does not have: holds one more newtype, with the struct's name.
pub(crate) const FIELD: &str = "$claw::field";
/// A null on a field that the struct has: holds one more newtype, with the struct's name.
pub(crate) const NULL: &str = "$claw::null";
/// An object of a kind that is not known.
pub(crate) const KIND: &str = "$claw::kind";

/// Appends what a struct keeps in `extra`, for as far as it is free to be sent: not the key of a tag, nor
/// of a field that is not among those that are `absent`.
///
/// A null that stood on an optional field waits in `extra`; a value set since then wins. A known key can
/// be in `extra` only so, or put there by hand, and is never written twice.
#[cold]
#[inline(never)]
pub(crate) fn append_kept<M: SerializeMap>(
    map: &mut M,
    shape: &'static Shape,
    extra: &Extra,
    absent: &[bool],
) -> Result<(), M::Error> {
    let tags = shape.tags();
    for (key, value) in extra.iter() {
        let at = shape.find(key);
        if at.is_some_and(|at| at < tags || !absent[at - tags]) {
            continue;
        }
        let has_key = at.is_some();
        let kept = Kept {
            owner: shape.name,
            has_key,
            value,
        };
        map.serialize_entry(key, &kept)?;
    }
    Ok(())
}

/// A value that a struct keeps in `extra`.
struct Kept<'a> {
    owner: &'static str,
    /// The struct has that key, and does not take what it says.
    has_key: bool,
    value: &'a Json,
}

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mark = if self.has_key { NULL } else { FIELD };
        serializer.serialize_newtype_struct(mark, &Owned(self.owner, self.value))
    }
}

struct Owned<'a>(&'static str, &'a Json);

impl Serialize for Owned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(self.0, self.1)
    }
}
