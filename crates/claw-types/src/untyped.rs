//! The parts of a value that claw has no type for.

mod search;

use self::search::Search;
use crate::wire::{self, Written};

/// A part of a value for which this crate has no type. The part is kept, and is sent on unchanged.
///
/// In each variant, `path` is the place of the part within the value, such as `message.content[0].later`. If the part
/// is the whole value, the path is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Untyped {
    /// A field of a JSON object for which the Rust struct has no field.
    #[non_exhaustive]
    Field {
        /// The name of the Rust struct in this crate that represents the object.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// A `null` in a field that, according to its type, is either absent or has a value.
    #[non_exhaustive]
    Null {
        /// The name of the Rust struct in this crate that has the field.
        owner: &'static str,
        /// The key of the field.
        key: String,
        /// The path to the field.
        path: String,
    },
    /// An object of a kind that this version of claw does not know.
    #[non_exhaustive]
    Kind {
        /// The kind, as returned by [`Unknown::kind`](crate::Unknown::kind). Empty if the object has no kind.
        kind: String,
        /// The path to the object.
        path: String,
    },
}

/// A type of this crate that is part of the protocol.
pub trait Typed: wire::Write {}

impl<T: wire::Write + ?Sized> Typed for T {}

/// Returns all parts of a value for which this crate has no type, in the order in which they occur in the value. A
/// newer CLI may have added these parts. The function does not search fields of the type [`Json`](crate::Json), whose
/// form the protocol does not define.
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
