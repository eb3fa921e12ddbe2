//! Maps the session IDs of callers to session IDs of Claude Code.

use claw_types::SessionId;
use sha1::{Digest as _, Sha1};
use uuid::{Builder, Uuid, uuid};

/// The namespace of the callers' IDs. It must never change, because the server finds sessions on disk with it.
const NAMESPACE: Uuid = uuid!("7f34d4dc-ca50-4d46-af5f-e6d7f15ea697");
/// Maximum length of a caller's ID.
const LONGEST: usize = 64;

/// Converts a session's ID in the hosting contract, which the caller chooses, into the ID of a Claude Code session. The
/// result is the version 5 UUID of the ID's bytes in the namespace `7f34d4dc-ca50-4d46-af5f-e6d7f15ea697`. So the same
/// ID means the same session on every server and after every restart. Returns `None` if the contract does not allow the
/// ID. An allowed ID has 1 to 64 characters, each an ASCII letter, a digit, `_` or `-`, and begins with a letter or a
/// digit.
///
/// An ID that is a UUID is converted like any other ID. If it were taken as the ID of a session, a caller could select
/// the session of another caller.
///
/// ```
/// let session = claw_server::hosted_session("demo-1").unwrap();
/// assert_eq!(session.as_str(), "a27aeb11-20fc-5a36-aef9-f3cb59945889");
/// assert_eq!(claw_server::hosted_session("../demo"), None);
/// ```
pub fn hosted_session(id: &str) -> Option<SessionId> {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let begins_well = id
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !begins_well || id.len() > LONGEST || !id.bytes().all(is_inner) {
        return None;
    }
    let hash = Sha1::new()
        .chain_update(NAMESPACE)
        .chain_update(id)
        .finalize();
    let mut first = [0; 16];
    first.copy_from_slice(&hash[..16]);
    let uuid = Builder::from_sha1_bytes(first).into_uuid();
    Some(SessionId::from(uuid.to_string().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_always_the_same_session() {
        // The result of Python's `uuid.uuid5(uuid.UUID("7f34d4dc-ca50-4d46-af5f-e6d7f15ea697"), "demo-1")`.
        let session = |id: &str| hosted_session(id).unwrap().as_str().to_owned();
        assert_eq!(session("demo-1"), "a27aeb11-20fc-5a36-aef9-f3cb59945889");
        assert_eq!(session("A"), "7372a14d-8bda-5a81-8976-8e46d7492e69");
        assert_eq!(session("a"), "23dd3155-1882-541f-bccb-2da32df8618e");
        // The result is not the session with this UUID, which may belong to another caller.
        assert_eq!(
            session("a27aeb11-20fc-5a36-aef9-f3cb59945889"),
            "abcc074e-30d3-5bff-a1ca-3cdf391608ce"
        );
        assert_eq!(
            session(&"x".repeat(64)),
            "45fd9993-e108-513c-961d-6ef60ddf46bb"
        );
    }

    #[test]
    fn ids_are_those_of_the_contract() {
        for id in ["0", "a_-", "Z9", "a-", "a_"] {
            assert!(hosted_session(id).is_some(), "{id:?}");
        }
        let long = "x".repeat(65);
        for id in [
            "", "-a", "_a", "..", "a.b", "a/b", "a b", "a\n", "\na", "é", "aé", "a\0", &long,
        ] {
            assert_eq!(hosted_session(id), None, "{id:?}");
        }
    }
}
