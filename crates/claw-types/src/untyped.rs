//! The parts of a value that claw has no type for.

mod search;

use self::search::Search;
use crate::wire::{self, Written};

/// A part of a value that claw has no type for. Kept and sent on unchanged.
///
/// `path` is the location of the part: `message.content[0].later`. Empty for the value itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Untyped {
    /// A field that its struct does not have.
    #[non_exhaustive]
    Field {
        /// The name of the struct in this crate.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// A `null` in a field of the struct that claw expects to be absent or to have a value.
    #[non_exhaustive]
    Null {
        /// The name of the struct in this crate.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// An object of an unknown kind.
    #[non_exhaustive]
    Kind {
        /// The kind, as returned by [`Unknown::kind`](crate::Unknown::kind). Empty if the object
        /// has none.
        kind: String,
        /// The path to the object.
        path: String,
    },
}

/// A type of this crate that is part of the protocol.
pub trait Typed: wire::Write {}

impl<T: wire::Write + ?Sized> Typed for T {}

/// Returns all parts of a value for which claw has no type, in order. A newer CLI may have added them. Parts whose form
/// the protocol does not define ([`Json`](crate::Json)) are not searched.
///
/// ```
/// use claw_types::{StdoutMessage, Untyped, from_line, untyped};
///
/// let line = br#"{"type":"keep_alive","later":1}"#;
/// let message: StdoutMessage = from_line(line)?;
/// let found = untyped(&message);
/// assert!(matches!(&found[..], [Untyped::Field { owner: "KeepAlive", path, .. }] if path == "later"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn untyped<T: Typed + ?Sized>(value: &T) -> Vec<Untyped> {
    let mut search = Search::default();
    // A value that cannot be written has no untyped parts on the wire.
    if let Ok((text, ranges)) = wire::written_with_ranges(&value) {
        search.value(&Written::new(&text, &ranges));
    }
    search.found
}

#[cfg(test)]
mod tests;
