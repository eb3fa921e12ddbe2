//! The error of claw's own reader and writer, which leave a value to `serde_json` then.

use std::fmt;

use serde::{de, ser};

/// A value was not read or not written. The reader keeps the details beside it, so that a `Result` stays as small as
/// possible.
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
