//! The error of claw's own reader and writer. After it, a value is given to `serde_json`.

use std::fmt;

use serde::{de, ser};

/// The error for a value that could not be read or written. It has no data, so that a `Result` is as small as possible.
/// The [`Parser`](crate::Parser) keeps the details of a failed read.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "it carries no data, on purpose")]
pub struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not done by claw's own reader or writer")
    }
}

impl std::error::Error for Failed {}

impl de::Error for Failed {
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl ser::Error for Failed {
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}
