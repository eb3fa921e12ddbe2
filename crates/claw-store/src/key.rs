//! What a store keeps lines under.

use std::fmt;

use claw_types::SessionId;
use claw_types::store::SessionKey;

/// A session in a store: the name of its project, and its ID.
///
/// The project is the name of its folder among the projects of the CLI (see [`claw_sessions::slug`]), or any other
/// division that the host makes, such as one for each tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionRef {
    project: Box<str>,
    session: Box<str>,
}

/// A transcript in a store: the main one of a session, or one beside it, such as a sub-agent's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreKey {
    session: SessionRef,
    subpath: Option<Subpath>,
}

/// The path of a transcript beside a session's main one, such as `subagents/agent-a1`: below the session's folder,
/// without `.jsonl`, with `/` on every system.
///
/// It cannot lead out of the session's folder on any system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subpath(Box<str>);

/// Why something is not part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part} {text:?} {reason}")]
#[non_exhaustive]
pub struct KeyError {
    /// Which part of a key it was to be: `project`, `session` or `subpath`.
    pub part: &'static str,
    /// The text, 200 characters of it at most.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// How many bytes a part of a key may have.
const MOST: usize = 1024;

impl SessionRef {
    /// Of a project and a session's ID. Neither may be empty, hold a control character, or have more than 1,024
    /// bytes. The ID need not be a UUID; a session that is to be resumed by the CLI has one.
    ///
    /// # Errors
    ///
    /// [`KeyError`] with the part that is wrong.
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

    /// The key of the session's main transcript.
    pub fn main(&self) -> StoreKey {
        self.clone().into()
    }

    /// The key of a transcript beside the main one.
    pub fn at(&self, subpath: Subpath) -> StoreKey {
        StoreKey {
            session: self.clone(),
            subpath: Some(subpath),
        }
    }
}

impl StoreKey {
    /// The session.
    pub fn session(&self) -> &SessionRef {
        &self.session
    }

    /// `None` for the main transcript.
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
    /// Of a text.
    ///
    /// # Errors
    ///
    /// [`KeyError`] for a path that is empty, absolute, or has a segment that is empty, `.` or `..`, a backslash, a
    /// colon (a drive or a stream on Windows), a control character, or more than 1,024 bytes.
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
                // Windows takes them away, so that ".. " would be "..".
                _ if segment.ends_with(['.', ' ']) => {
                    return wrong("has a segment that ends in a dot or a space");
                }
                _ => {}
            }
        }
        Ok(Self(path))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl KeyError {
    pub(crate) fn new(part: &'static str, text: &str, reason: &'static str) -> Self {
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
