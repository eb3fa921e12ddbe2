//! The parts of a value that claw has no type for.

mod search;

use self::search::Search;
use crate::wire::{self, Written};

/// A part of a value for which claw has no type. claw keeps the part and sends it on unchanged.
///
/// In each variant, `path` says where in the value the part is, such as `message.content[0].later`. If the part is the
/// whole value, the path is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Untyped {
    /// A field that the struct for its object does not have.
    #[non_exhaustive]
    Field {
        /// The name of the struct in this crate.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// A `null` in a field of the struct. claw expects that the field is absent or has a value.
    #[non_exhaustive]
    Null {
        /// The name of the struct in this crate.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// An object of a kind that claw does not know.
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

/// Returns all those parts of a value for which claw has no type, in order. A newer CLI may have added them. The
/// function does not search fields whose form the protocol does not define ([`Json`](crate::Json)).
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
