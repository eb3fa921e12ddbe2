//! The names of keys.

use std::fmt::Write as _;

use crate::names::decoded;
use crate::{SessionRef, StoreError, Subpath};

/// How many bytes a session has at most in the list of sessions: two parts of a key, each byte as three, and a slash.
pub(super) const MEMBER_LIMIT: usize = 2 * 3 * 1024 + 1;

/// The keys of a session. All of them are in one slot of a cluster, by what stands in braces.
pub(super) struct Keys(String);

/// The keys of a transcript.
pub(super) struct Transcript {
    /// The session's newest claim.
    pub(super) claim: String,
    /// The transcripts beside the session's main one.
    pub(super) subs: String,
    /// What the transcript should have, and its summary.
    pub(super) meta: String,
    /// The lines, in their order.
    pub(super) lines: String,
    /// The UUIDs of the lines.
    pub(super) uuids: String,
    /// How many lines each writer has.
    pub(super) writers: String,
}

impl Keys {
    pub(super) fn of(prefix: &str, session: &SessionRef) -> Self {
        Self(format!("{prefix}:{{{}}}", member(session)))
    }

    pub(super) fn claim(&self) -> String {
        format!("{}:claim", self.0)
    }

    pub(super) fn subs(&self) -> String {
        format!("{}:subs", self.0)
    }

    /// `None` is the main one.
    pub(super) fn transcript(&self, subpath: Option<&Subpath>) -> Transcript {
        // A subpath has no colon.
        let key = |name| match subpath {
            None => format!("{}:{name}", self.0),
            Some(subpath) => format!("{}:{name}:{subpath}", self.0),
        };
        Transcript {
            claim: self.claim(),
            subs: self.subs(),
            meta: key("meta"),
            lines: key("lines"),
            uuids: key("uuids"),
            writers: key("writers"),
        }
    }
}

impl Transcript {
    /// Those that are the transcript's alone.
    pub(super) fn own(&self) -> [&str; 4] {
        [&self.meta, &self.lines, &self.uuids, &self.writers]
    }
}

/// The two keys of the list of sessions: their names, and when each was last put into the list.
pub(super) fn index(prefix: &str) -> [String; 2] {
    ["names", "times"].map(|name| format!("{prefix}:{{sessions}}:{name}"))
}

/// A session in the list of sessions. No two have one name.
pub(super) fn member(session: &SessionRef) -> String {
    let mut name = project_start(session.project());
    escape(&mut name, session.session());
    name
}

/// What the sessions of a project begin with in the list of sessions.
pub(super) fn project_start(project: &str) -> String {
    let mut name = String::new();
    escape(&mut name, project);
    name.push('/');
    name
}

/// The session that has this name.
pub(super) fn session(member: &[u8]) -> Result<SessionRef, StoreError> {
    let wrong = || StoreError::corrupt("a name in the list of sessions is none");
    if member.len() > MEMBER_LIMIT {
        return Err(wrong());
    }
    let text = str::from_utf8(member).map_err(|_| wrong())?;
    let (project, name) = text.split_once('/').ok_or_else(wrong)?;
    let session = decoded(project).zip(decoded(name));
    let (project, name) = session.ok_or_else(wrong)?;
    let found = SessionRef::new(project, name).map_err(StoreError::corrupt)?;
    // A part that is escaped otherwise than it should be is not that session.
    if self::member(&found) == text {
        Ok(found)
    } else {
        Err(wrong())
    }
}

/// Leaves neither braces, which make the slot, nor the slash between two parts.
fn escape(name: &mut String, part: &str) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"._~-".contains(&byte) {
            name.push(char::from(byte));
        } else {
            // A `String` takes everything.
            let _ = write!(name, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_of_a_session_are_in_one_slot() {
        let session = SessionRef::new("-work-{x}", "s/1").unwrap();
        let keys = Keys::of("claw", &session);
        let slot = "claw:{-work-%7Bx%7D/s%2F1}:";
        assert_eq!(keys.claim(), format!("{slot}claim"));
        let subpath = Subpath::new("subagents/a}").unwrap();
        let transcript = keys.transcript(Some(&subpath));
        assert_eq!(transcript.lines, format!("{slot}lines:subagents/a}}"));
        assert_eq!(keys.transcript(None).lines, format!("{slot}lines"));
    }

    #[test]
    fn what_is_no_name_of_a_session_is_an_error() {
        for wrong in [
            "",
            "/",
            "a",
            "a/",
            "/a",
            "a/b/c",
            "a/%2f",
            "a/%61",
            "a/%",
            "a b/c",
            "%2E%2E/%00",
        ] {
            assert!(session(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(session(b"a/\xff").is_err());
        assert!(session(format!("a/{}", "x".repeat(MEMBER_LIMIT)).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn a_session_is_known_by_its_name(project in any::<String>(), name in any::<String>()) {
            if let Ok(found) = SessionRef::new(project, name) {
                prop_assert_eq!(session(member(&found).as_bytes()).unwrap(), found);
            }
        }
    }
}
