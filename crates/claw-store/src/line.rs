//! A line of a transcript.

use std::fmt;
use std::sync::Arc;

use claw_types::Json;

/// A line of a transcript: one JSON object, kept byte for byte, without its line end.
#[derive(Clone, PartialEq, Eq)]
pub struct Line {
    text: Arc<str>,
    uuid: Option<Arc<str>>,
}

/// The reason why a text is not a valid line of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The text is not UTF-8.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// The text contains a line end.
    #[error("the line has a line end in it")]
    LineEnd,
    /// The text is not a JSON object.
    #[error("the line is not a JSON object")]
    NotAnObject,
}

impl Line {
    /// Creates a line from the text of a JSON object. White space around the object is part of the line.
    ///
    /// # Errors
    ///
    /// Fails with [`LineError`] if the text is not a JSON object on one line.
    pub fn new(text: impl Into<Arc<str>>) -> Result<Self, LineError> {
        let text = text.into();
        if text.contains(['\n', '\r']) {
            return Err(LineError::LineEnd);
        }
        let object = Json::from_text(text.to_string()).map_err(|_| LineError::NotAnObject)?;
        if !object.is_object() {
            return Err(LineError::NotAnObject);
        }
        let uuid = object
            .get("uuid")
            .and_then(|uuid| Some(uuid.as_str()?.into()));
        Ok(Self { text, uuid })
    }

    /// Creates a line from the bytes of a line in a file.
    ///
    /// # Errors
    ///
    /// Fails with [`LineError`] if the bytes are not a JSON object on one line.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LineError> {
        let text = std::str::from_utf8(bytes).map_err(|_| LineError::NotUtf8)?;
        Self::new(text)
    }

    /// The text of the line.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the `uuid` of the JSON object. `None` if the object has no `uuid`.
    pub fn uuid(&self) -> Option<&str> {
        self.uuid.as_deref()
    }

    /// The line as JSON.
    pub(crate) fn json(&self) -> Json {
        Json::of_raw(&self.text)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Does not print the text, because a conversation must not appear in a log.
        f.debug_struct("Line")
            .field("bytes", &self.text.len())
            .field("uuid", &self.uuid)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_and_keeps_its_bytes() {
        let text = r#" {"a":1.0000000000000000001,"b":"\ud800","uuid":"u-1"} "#;
        let line = Line::new(text).unwrap();
        assert_eq!(line.as_str(), text);
        assert_eq!(line.uuid(), Some("u-1"));
        assert_eq!(Line::new("{}").unwrap().uuid(), None);
        assert_eq!(Line::new(r#"{"uuid":7}"#).unwrap().uuid(), None);
        let nested = format!("{}{{}}{}", r#"{"a":"#.repeat(500), "}".repeat(500));
        assert!(Line::new(nested).is_ok());
    }

    #[test]
    fn what_is_no_line_is_refused() {
        assert_eq!(Line::new("[1]"), Err(LineError::NotAnObject));
        assert_eq!(Line::new("{"), Err(LineError::NotAnObject));
        assert_eq!(Line::new("{} {}"), Err(LineError::NotAnObject));
        assert_eq!(Line::new(""), Err(LineError::NotAnObject));
        assert_eq!(Line::new("{\n}"), Err(LineError::LineEnd));
        assert_eq!(
            Line::from_bytes(b"{\"a\":\"\xff\"}"),
            Err(LineError::NotUtf8)
        );
    }
}
