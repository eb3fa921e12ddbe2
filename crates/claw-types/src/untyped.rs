//! What of a value claw has no type for.

mod search;

use self::search::Search;
use crate::wire::{self, Written};

/// A part of a value that claw has no type for: kept as it came, and sent on unchanged.
///
/// `path` says where it is: `message.content[0].later`. Empty for the value itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Untyped {
    /// A field that its struct does not have.
    #[non_exhaustive]
    Field {
        /// The struct, by its name in this crate.
        owner: &'static str,
        /// The field's key.
        key: String,
        /// Where it is.
        path: String,
    },
    /// A `null` on a field that its struct has, and that is otherwise there or absent.
    #[non_exhaustive]
    Null {
        /// The struct, by its name in this crate.
        owner: &'static str,
        /// The field's key.
        key: String,
        /// Where it is.
        path: String,
    },
    /// An object of a kind that is not known.
    #[non_exhaustive]
    Kind {
        /// The kind, as [`Unknown::kind`](crate::Unknown::kind) has it: empty where it does not say one.
        kind: String,
        /// Where it is.
        path: String,
    },
}

/// A type of this crate that stands on the wire.
pub trait Typed: wire::Write {}

impl<T: wire::Write + ?Sized> Typed for T {}

/// Everything in a value of this crate's types that claw has no type for, in order: what a CLI says that is
/// newer than claw. Where the protocol itself fixes no shape ([`Json`](crate::Json)), nothing is looked for.
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
    // What cannot be written stands on no line.
    if let Ok((text, marks)) = wire::marked(&value) {
        search.value(&Written::new(&text, &marks));
    }
    search.found
}

#[cfg(test)]
mod tests;
