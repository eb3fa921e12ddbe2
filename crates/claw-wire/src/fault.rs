//! Why and where a value could not be read. It is created only after reading has failed.

use serde::de::Error as _;
use serde_json::Error;

use crate::path;

/// An error in a text.
pub(crate) struct Fault {
    pub(crate) what: String,
    /// The number of bytes that were read.
    pub(crate) at: usize,
    /// The path to the value, innermost step first.
    pub(crate) path: Vec<String>,
}

impl Fault {
    /// Returns the description of the error, after the path to it.
    pub(crate) fn text(&self) -> String {
        let steps = self.path.iter().map(String::as_str);
        path::placed(steps.rev(), &self.what)
    }

    /// Returns the error of `serde_json` with the same words, the line and the column.
    pub(crate) fn error(&self, text: &str) -> Error {
        let read = &text.as_bytes()[..self.at.min(text.len())];
        let line = 1 + memchr::memchr_iter(b'\n', read).count();
        let column = read.len() - memchr::memrchr(b'\n', read).map_or(0, |at| at + 1);
        Error::custom(format_args!(
            "{} at line {line} column {column}",
            self.text()
        ))
    }
}
