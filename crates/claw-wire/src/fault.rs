//! Why a value could not be read, and where: made only once reading has failed.

use serde::de::Error as _;
use serde_json::Error;

use crate::path;

/// What is wrong with a text.
pub(crate) struct Fault {
    pub(crate) what: String,
    /// How much of the text was read.
    pub(crate) at: usize,
    /// The way to the value, the innermost step first.
    pub(crate) path: Vec<String>,
}

impl Fault {
    /// What is wrong, behind the path to it.
    pub(crate) fn text(&self) -> String {
        let steps = self.path.iter().map(String::as_str);
        path::placed(steps.rev(), &self.what)
    }

    /// The fault as an error of `serde_json`, in the same words, with the line and the column.
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
