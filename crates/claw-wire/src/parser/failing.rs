//! The errors of a parser.
//!
//! The wording is that of `serde_json`. A value that does not fit is given to `serde_json`, which reads it or says what
//! is wrong with it.

use std::convert::Infallible;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::Error;

use super::Parser;
use crate::error::unplaced;
use crate::failed::Failed;
use crate::fault::Fault;

impl<'de> Parser<'de> {
    /// Records an error at the byte `at`. `what` says what is wrong there.
    #[cold]
    #[inline(never)]
    pub fn fail_at(&mut self, at: usize, what: impl fmt::Display) -> Failed {
        self.fault = Some(Box::new(Fault {
            what: what.to_string(),
            at,
            path: Vec::new(),
        }));
        Failed
    }

    /// Records the error of `serde_json` about the value that starts at `start`.
    #[cold]
    pub(crate) fn fail_as_serde_json(&mut self, start: usize, error: &Error) -> Failed {
        let rest = &self.text.as_bytes()[start..];
        let before = match error.line() {
            0 | 1 => 0,
            line => memchr::memchr_iter(b'\n', rest)
                .nth(line - 2)
                .map_or(0, |at| at + 1),
        };
        self.fail_at(start + before + error.column(), unplaced(error))
    }

    /// Records the error that the value at this position is not what was expected. `as_if` is the first byte of the
    /// expected kind of value, such as `{` for an object. It is 0 if no such byte exists.
    #[cold]
    #[inline(never)]
    pub fn mismatch(&mut self, as_if: u8, expected: &dyn fmt::Display) -> Failed {
        let start = self.start();
        let mut theirs = serde_json::Deserializer::from_str(&self.text[start..]);
        let never = Mismatch(expected);
        let result = match as_if {
            b'{' => theirs.deserialize_map(never),
            b'[' => theirs.deserialize_seq(never),
            b'"' => theirs.deserialize_str(never),
            _ => theirs.deserialize_any(never),
        };
        match result {
            Err(error) => self.fail_as_serde_json(start, &error),
            Ok(never) => match never {},
        }
    }

    /// Adds a step, such as a key, to the path of the recorded error. This method is called for each value that
    /// contains the wrong value, from the innermost to the outermost.
    #[cold]
    #[inline(never)]
    pub fn inside(&mut self, step: &str) -> Failed {
        if let Some(fault) = &mut self.fault {
            fault.path.push(step.to_owned());
        }
        Failed
    }

    /// Records the error that a key is missing in an object.
    #[cold]
    #[inline(never)]
    pub fn missing(&mut self, key: &str) -> Failed {
        self.fail_at(self.position(), format_args!("missing field `{key}`"))
    }

    /// Reads the value that starts at `start` with `serde_json`.
    #[cold]
    #[inline(never)]
    pub(crate) fn retry_with_serde_json<T: Deserialize<'de>>(
        &mut self,
        start: usize,
    ) -> Result<T, Failed> {
        let text = self.text;
        match T::deserialize(&mut serde_json::Deserializer::from_str(&text[start..])) {
            Ok(value) => {
                self.seek(start);
                self.skip()?;
                Ok(value)
            }
            Err(error) => Err(self.fail_as_serde_json(start, &error)),
        }
    }

    /// Returns the reason why the text was not read.
    #[cold]
    pub(crate) fn into_fault(self) -> Fault {
        let at = self.position();
        self.fault.map_or_else(
            || Fault {
                what: "not read".to_owned(),
                at,
                path: Vec::new(),
            },
            |fault| *fault,
        )
    }
}

/// A visitor that accepts no value, so that `serde_json` words the mismatch.
struct Mismatch<'a>(&'a dyn fmt::Display);

impl Visitor<'_> for Mismatch<'_> {
    type Value = Infallible;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
