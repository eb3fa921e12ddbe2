//! What the fast paths say when they leave a value to `serde_json`.

use std::fmt;

use serde::{de, ser};

/// It did not work out; `serde_json` is asked instead, and says why if it has to.
#[derive(Debug)]
pub(super) struct GaveUp;

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not done by the fast path")
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
