//! A session's title.

use claw_types::SessionId;

use crate::members::quoted;
use crate::{Error, Session};

impl Session {
    /// Sets the session's title. White space at the beginning and the end of the title is removed. From now on, all
    /// lists of sessions show the title, including those of the CLI. A running `claude` that uses the session adopts
    /// the title.
    ///
    /// The call appends a line to the transcript.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::EmptyTitle`] if the title is only white space, with [`Error::NotFound`] if the session was
    /// deleted meanwhile, and with [`Error::Io`] if a file cannot be read or written.
    pub fn rename(&self, title: &str) -> Result<(), Error> {
        self.append(&title_line(self.id(), title)?)
    }
}

/// Returns the line that sets a session's title.
pub(crate) fn title_line(id: &SessionId, title: &str) -> Result<String, Error> {
    let title = trim(title);
    if title.is_empty() {
        return Err(Error::EmptyTitle);
    }
    Ok(note(id, "custom-title", "customTitle", title))
}

/// Returns a line with one property of a session. The type comes first, because the Python SDK expects it there.
pub(crate) fn note(id: &SessionId, kind: &str, key: &str, value: &str) -> String {
    let [value, id] = [value, id.as_str()].map(quoted);
    let [value, id] = [&value, &id].map(|text| String::from_utf8_lossy(text));
    format!(r#"{{"type":"{kind}","{key}":{value},"sessionId":{id}}}"#)
}

/// Trims the white space that JavaScript trims.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}
