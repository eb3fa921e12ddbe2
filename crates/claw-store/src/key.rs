//! The keys of transcripts in a store.

use std::fmt;

use claw_types::SessionId;
use claw_types::store::SessionKey;

/// A session in a store: the name of its project, and its ID.
///
/// The project is the name of the session's folder among the CLI's projects (see [`claw_sessions::slug`]). It can also
/// be any other name by which your program groups sessions, such as one for each tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionRef {
    project: Box<str>,
    session: Box<str>,
}

/// The key of a transcript in a store: either a session's main transcript, or another transcript of the session, such
/// as a sub-agent's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreKey {
    session: SessionRef,
    subpath: Option<Subpath>,
}

/// The path of a transcript that is not a session's main one, such as `subagents/agent-a1`. The path is relative to the
/// session's folder, does not end in `.jsonl`, and uses `/` on every system.
///
/// A subpath cannot lead out of the session's folder on any system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subpath(Box<str>);

/// The reason why a text cannot be a part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part} {text:?} {reason}")]
#[non_exhaustive]
pub struct KeyError {
    /// The part of the key that is wrong: `project`, `session` or `subpath`.
    pub part: &'static str,
    /// The invalid text, cut after 200 characters.
    pub text: String,
    /// The reason why the text is invalid.
    pub reason: &'static str,
}

/// The maximum length of a part of a key, in bytes.
const MOST: usize = 1024;

impl SessionRef {
    /// Creates a reference from a project and a session ID. Neither may be empty, contain a control character, or have
    /// more than 1,024 bytes. The ID need not be a UUID, but the CLI can resume a session only if its ID is a UUID.
    ///
    /// # Errors
    ///
    /// Fails with a [`KeyError`] that says which part is wrong.
    pub fn new(project: impl Into<String>, session: impl Into<String>) -> Result<Self, KeyError> {
        Ok(Self {
            project: checked("project", project.into())?,
            session: checked("session", session.into())?,
        })
    }

    /// The name of the project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The ID of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the key of the session's main transcript.
    pub fn main(&self) -> StoreKey {
        self.clone().into()
    }

    /// Returns the key of another transcript of the session.
    pub fn at(&self, subpath: Subpath) -> StoreKey {
        StoreKey {
            session: self.clone(),
            subpath: Some(subpath),
        }
    }
}

impl StoreKey {
    /// The session that the transcript belongs to.
    pub fn session(&self) -> &SessionRef {
        &self.session
    }

    /// The subpath of the transcript. `None` for the main transcript.
    pub fn subpath(&self) -> Option<&Subpath> {
        self.subpath.as_ref()
    }
}

impl From<SessionRef> for StoreKey {
    fn from(session: SessionRef) -> Self {
        Self {
            session,
            subpath: None,
        }
    }
}

impl TryFrom<&SessionKey> for StoreKey {
    type Error = KeyError;

    fn try_from(key: &SessionKey) -> Result<Self, KeyError> {
        let session = SessionRef::new(&*key.project_key, key.session_id.as_str())?;
        let subpath = key.subpath.as_deref().map(Subpath::new).transpose()?;
        Ok(Self { session, subpath })
    }
}

impl From<&StoreKey> for SessionKey {
    fn from(key: &StoreKey) -> Self {
        let mut wire = Self::new(
            key.session.project.to_string(),
            SessionId::from(&*key.session.session),
        );
        wire.subpath = key.subpath.as_ref().map(|path| path.0.to_string());
        wire
    }
}

impl Subpath {
    /// Creates a subpath from a text.
    ///
    /// # Errors
    ///
    /// Fails with [`KeyError`] if the path is empty, absolute or longer than 1,024 bytes; if a segment of the path is
    /// empty, `.` or `..`; or if the path contains a backslash, a colon (a drive or a stream on Windows) or a control
    /// character.
    pub fn new(path: &str) -> Result<Self, KeyError> {
        let wrong = |reason| Err(KeyError::new("subpath", path, reason));
        if path.starts_with('/') {
            return wrong("is absolute");
        }
        if path.contains('\\') {
            return wrong("has a backslash");
        }
        if path.contains(':') {
            return wrong("has a colon");
        }
        let path = checked("subpath", path.to_owned())?;
        for segment in path.split('/') {
            match segment {
                "" => return wrong("has an empty segment"),
                "." | ".." => return wrong("has a segment that leads elsewhere"),
                // Windows removes these characters from the end of a name, so `.. ` would become `..`.
                _ if segment.ends_with(['.', ' ']) => {
                    return wrong("has a segment that ends in a dot or a space");
                }
                _ => {}
            }
        }
        Ok(Self(path))
    }

    /// Returns the subpath as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl KeyError {
    /// Creates the error for a text that a store cannot use as a part of a key. The text is cut after 200 characters.
    pub fn new(part: &'static str, text: &str, reason: &'static str) -> Self {
        Self {
            part,
            text: text.chars().take(200).collect(),
            reason,
        }
    }
}

fn checked(part: &'static str, text: String) -> Result<Box<str>, KeyError> {
    let reason = if text.is_empty() {
        "is empty"
    } else if text.len() > MOST {
        "has more than 1,024 bytes"
    } else if text.chars().any(char::is_control) {
        "has a control character"
    } else {
        return Ok(text.into());
    };
    Err(KeyError::new(part, &text, reason))
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session)
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subpath {
            Some(subpath) => write!(f, "{}/{subpath}", self.session),
            None => self.session.fmt(f),
        }
    }
}

impl fmt::Display for Subpath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subpath_stays_in_the_session() {
        assert!(Subpath::new("subagents/agent-a1").is_ok());
        assert!(Subpath::new("workflows/w 1/ü").is_ok());
        for wrong in [
            "",
            "/a",
            "a//b",
            "a/",
            ".",
            "..",
            "a/../b",
            "../b",
            "a/.. /b",
            "a\\b",
            "..\\b",
            "C:/a",
            "C:",
            "a\0b",
            "a\nb",
            "\\\\host\\share",
            "a/.",
        ] {
            let error = Subpath::new(wrong).unwrap_err();
            assert_eq!(error.part, "subpath", "{wrong:?}");
        }
        assert!(Subpath::new(&"a".repeat(1025)).is_err());
    }

    #[test]
    fn a_key_is_the_protocols_key() {
        let session = SessionRef::new("-work-project", "s").unwrap();
        let key = session.at(Subpath::new("subagents/agent-a1").unwrap());
        let wire = SessionKey::from(&key);
        assert_eq!(StoreKey::try_from(&wire).unwrap(), key);
        assert_eq!(key.to_string(), "-work-project/s/subagents/agent-a1");
        assert!(SessionRef::new("", "s").is_err());
        assert!(SessionRef::new("p", "a\0").is_err());
    }
}
