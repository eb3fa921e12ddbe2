//! The names of keys.

use std::fmt::Write as _;

use claw_store::adapter::names::decoded;
use claw_store::{SessionRef, StoreError, Subpath};

/// The maximum length of a session's name in the list of sessions, in bytes. The name consists of two parts of a key
/// and a slash. Each byte of a part can become three bytes.
pub(crate) const MEMBER_LIMIT: usize = 2 * 3 * 1024 + 1;

/// The prefix of a session's keys. The part in braces places all these keys in the same slot of a cluster.
pub(crate) struct Keys(String);

/// The names of the keys that calls for a transcript use.
pub(crate) struct Transcript {
    /// The session's newest claim.
    pub(crate) claim: String,
    /// The list of the session's other transcripts.
    pub(crate) subs: String,
    /// The hash with the numbers of lines and bytes of the transcript, and with its summary.
    pub(crate) meta: String,
    /// The lines in order.
    pub(crate) lines: String,
    /// The UUIDs of the lines.
    pub(crate) uuids: String,
    /// The number of lines from each writer.
    pub(crate) writers: String,
}

impl Keys {
    pub(crate) fn of(prefix: &str, session: &SessionRef) -> Self {
        Self(format!("{prefix}:{{{}}}", member(session)))
    }

    pub(crate) fn claim(&self) -> String {
        format!("{}:claim", self.0)
    }

    pub(crate) fn subs(&self) -> String {
        format!("{}:subs", self.0)
    }

    /// Returns the keys of a transcript. `None` stands for the main transcript.
    pub(crate) fn transcript(&self, subpath: Option<&Subpath>) -> Transcript {
        // A subpath contains no colon, so these keys are unique.
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
    /// The keys that belong only to this transcript.
    pub(crate) fn own(&self) -> [&str; 4] {
        [&self.meta, &self.lines, &self.uuids, &self.writers]
    }
}

/// Returns the two keys of the list of sessions: the sorted names, and the time at which each name was last added.
pub(crate) fn index(prefix: &str) -> [String; 2] {
    ["names", "times"].map(|name| format!("{prefix}:{{sessions}}:{name}"))
}

/// Returns the name of a session in the list of sessions. The name is unique.
pub(crate) fn member(session: &SessionRef) -> String {
    let mut name = project_start(session.project());
    escape(&mut name, session.session());
    name
}

/// Returns the beginning of the names of a project's sessions in the list of sessions.
pub(crate) fn project_start(project: &str) -> String {
    let mut name = String::new();
    escape(&mut name, project);
    name.push('/');
    name
}

/// Returns the session that has this name in the list of sessions.
pub(crate) fn session(member: &[u8]) -> Result<SessionRef, StoreError> {
    let wrong = || StoreError::corrupt("a name in the list of sessions is none");
    if member.len() > MEMBER_LIMIT {
        return Err(wrong());
    }
    let text = str::from_utf8(member).map_err(|_| wrong())?;
    let (project, name) = text.split_once('/').ok_or_else(wrong)?;
    let session = decoded(project).zip(decoded(name));
    let (project, name) = session.ok_or_else(wrong)?;
    let found = SessionRef::new(project, name).map_err(StoreError::corrupt)?;
    // Two different names can be decoded to the same session. Only the name that `member` returns is accepted.
    if self::member(&found) == text {
        Ok(found)
    } else {
        Err(wrong())
    }
}

/// Escapes braces, which determine the slot, and the slash, which separates the two parts.
fn escape(name: &mut String, part: &str) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"._~-".contains(&byte) {
            name.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
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
