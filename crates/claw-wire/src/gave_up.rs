//! What claw's own reader and writer say when they leave a value to `serde_json`.

use std::fmt;

use serde::{de, ser};

/// It did not work out. Why the reader keeps beside it: a result is as small as it can be.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a sign, and nothing else")]
pub struct GaveUp;

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not done by claw's own reader or writer")
    }
}

impl std::error::Error for GaveUp {}

impl de::Error for GaveUp {
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl ser::Error for GaveUp {
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}
