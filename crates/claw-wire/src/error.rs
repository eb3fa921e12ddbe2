//! The reasons why a line could not be read.

use std::fmt;

use crate::path::split;

/// The reason why a line could not be read as the requested type.
///
/// The error has a description, the path to the wrong value inside the message, and a column of the line. It never
/// quotes the line itself, because a line may contain secrets.
#[derive(Debug)]
pub struct DecodeError {
    kind: DecodeErrorKind,
    path: String,
    column: Option<usize>,
    message: String,
}

/// The kind of a [`DecodeError`]: the reason why a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text is not JSON, or ends too early.
    Syntax,
    /// The line is JSON, but not an object. Every line of the protocol is an object.
    NotAnObject,
    /// The line is a message of a known kind, but one of its values is wrong or missing. [`DecodeError::path`] returns
    /// the place of that value.
    Data,
}

impl DecodeError {
    pub(crate) fn not_utf8(valid_up_to: usize) -> Self {
        Self {
            kind: DecodeErrorKind::NotUtf8,
            path: String::new(),
            column: Some(valid_up_to + 1),
            message: "the line is not UTF-8".to_owned(),
        }
    }

    pub(crate) fn not_an_object() -> Self {
        Self {
            kind: DecodeErrorKind::NotAnObject,
            path: String::new(),
            column: Some(1),
            message: "the line is JSON, but not an object".to_owned(),
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// Returns the path to the wrong value in the message, such as `message.content[1].text`. The path is empty if the
    /// line as a whole is invalid. It is safe to print: keys from the line are escaped, and a long path is truncated.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the column of the line at which reading stopped, in bytes and counted from 1. `None` if it is unknown.
    pub fn column(&self) -> Option<usize> {
        self.column
    }
}

/// Converts an error from `serde_json`. The path is taken from the error's text, because the types of this crate write
/// the path into that text. If a type from another crate contains a value of such a type, the path and the column are
/// relative to the start of that value.
impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        let text = unplaced(&error);
        let (path, message) = split(&text);
        Self {
            kind: if error.is_data() {
                DecodeErrorKind::Data
            } else {
                DecodeErrorKind::Syntax
            },
            path: shown(path),
            column: (error.column() > 0).then(|| error.column()),
            message: without_values(message),
        }
    }
}

/// Makes a path printable: its keys may come from the wire.
fn shown(path: &str) -> String {
    const LONGEST: usize = 200;
    let mut shown: String = path
        .chars()
        .take(LONGEST)
        .flat_map(char::escape_debug)
        .collect();
    if path.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns an error's text without the position at its end.
pub(crate) fn unplaced(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    if error.line() > 0
        && let Some(end) = text.rfind(" at line ")
    {
        text.truncate(end);
    }
    text
}

/// Removes values that serde quotes, because an error may be logged.
fn without_values(message: &str) -> String {
    const QUOTED: [(&str, char); 5] = [
        ("string", '"'),
        ("integer", '`'),
        ("floating point", '`'),
        ("boolean", '`'),
        ("character", '`'),
    ];
    let plain = message.split_once(": ").and_then(|(what, rest)| {
        QUOTED.iter().find_map(|(kind, quote)| {
            let value = rest
                .strip_prefix(kind)?
                .strip_prefix(' ')?
                .strip_prefix(*quote)?;
            let (_, expected) = value.rsplit_once(&format!("{quote}, expected "))?;
            Some(format!("{what}: {kind}, expected {expected}"))
        })
    });
    plain.unwrap_or_else(|| message.to_owned())
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if let Some(column) = self.column {
            write!(f, " (column {column})")?;
        }
        Ok(())
    }
}

impl std::error::Error for DecodeError {}
