//! Lines outside the conversation that a fork copies.

use std::collections::HashSet;

use crate::members::{Members, array, items, quoted, text};

/// The offset and the length of a line in the transcript.
pub(super) type Place = (u64, usize);

/// The lines outside the conversation that a fork needs. For lines that may be long, only the place in the file is
/// stored.
#[derive(Debug, Default)]
pub(super) struct Notes {
    is_suppressed: bool,
    organizations: Vec<String>,
    /// The replacements that the model reads instead of content that was too long.
    pub(super) replacements: Vec<Place>,
    /// The records of the data from which answers were made.
    pub(super) data_flow: Vec<Place>,
    /// The last line of each kind in [`LAST`].
    last: [Option<Vec<u8>>; LAST.len()],
    /// The sessions from which this session and its predecessors were forked.
    forked_from: Vec<String>,
    seen: HashSet<String>,
}

/// The kinds of lines of which a fork gets only the last line, in the order in which they are written. Each kind has
/// the name of its main member.
const LAST: [(&str, &str); 4] = [
    ("atis-latch", "atis"),
    ("tools-used", "tools"),
    (DERIVED, "sessions"),
    ("relocated", "relocatedCwd"),
];
const DERIVED: &str = "derived-from";

impl Notes {
    /// Records a line if a fork needs it and it belongs to this session.
    pub(super) fn add(&mut self, line: &Members<'_>, offset: u64, raw: &[u8], session: &str) {
        let Some(kind) = line.text("type") else {
            return;
        };
        let of = line.text("sessionId");
        let place = (offset, raw.len());
        match &*kind {
            "history-suppression" => self.is_suppressed = true,
            "hybrid-organization" => {
                let organization = line
                    .text("organizationUuid")
                    .map(|id| id.to_ascii_lowercase());
                let new = organization
                    .filter(|id| crate::home::is_session_id(id) && self.seen.insert(id.clone()));
                self.organizations.extend(new);
            }
            "data-flow-records" | "data-flow-incomplete"
                if of.is_some() && line.get("agentId").is_none() =>
            {
                self.data_flow.push(place);
            }
            _ if of.as_deref() != Some(session) => {}
            "content-replacement" if line.get("replacements").and_then(items).is_some() => {
                self.replacements.push(place);
            }
            kind => {
                let at = LAST
                    .iter()
                    .position(|(last, member)| *last == kind && is_complete(line, kind, member));
                if let Some(at) = at {
                    self.last[at] = Some(raw.to_owned());
                }
            }
        }
    }

    /// Records the session from which a line was copied.
    pub(super) fn add_forked_from(&mut self, line: &Members<'_>) {
        let forked_from = line.get("forkedFrom").and_then(Members::parse);
        let Some(id) = forked_from.as_ref().and_then(|from| from.text("sessionId")) else {
            return;
        };
        if !self.seen.contains(&*id) {
            self.seen.insert(id.clone().into_owned());
            self.forked_from.push(id.into_owned());
        }
    }

    /// Returns the fork's lines before the conversation.
    pub(super) fn before(&self, fork: &str, now: &str) -> Vec<String> {
        let suppression = format!(
            r#"{{"type":"history-suppression","sessionId":"{fork}","cause":"fork_inherit","ts":"{now}"}}"#
        );
        let organizations = self.organizations.iter().map(|id| {
            format!(
                r#"{{"type":"hybrid-organization","sessionId":"{fork}","organizationUuid":"{id}"}}"#
            )
        });
        let suppression = self.is_suppressed.then_some(suppression);
        suppression.into_iter().chain(organizations).collect()
    }

    /// Returns the fork's lines of the kinds in [`LAST`].
    pub(super) fn last(&self, source: &str, fork: &str) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for ((kind, _), raw) in LAST.iter().zip(&self.last) {
            let mut line = raw.as_deref().and_then(Members::parse);
            if *kind == DERIVED {
                line = self.derived(line, source);
            }
            if let Some(mut line) = line {
                line.set("sessionId", quoted(fork));
                line.remove(&["uuid", "timestamp"]);
                lines.push(line.to_text());
            }
        }
        lines
    }

    /// Returns the line that names the sessions from which the fork is derived, if the source records such data.
    fn derived<'a>(&self, line: Option<Members<'a>>, source: &str) -> Option<Members<'a>> {
        if line.is_none() && self.data_flow.is_empty() {
            return None;
        }
        let mut line = line.or_else(|| Members::parse(br#"{"type":"derived-from","v":1}"#))?;
        let known = line.get("sessions").and_then(items).unwrap_or_default();
        let mut sessions: Vec<Vec<u8>> = known.iter().map(|session| session.to_vec()).collect();
        let mut ids: HashSet<String> = HashSet::new();
        for session in known {
            let session = Members::parse(session);
            ids.extend(session.and_then(|it| Some(text(it.get("id")?)?.into_owned())));
        }
        let more = self.forked_from.iter().map(String::as_str).chain([source]);
        for id in more {
            if ids.insert(id.to_owned()) {
                let id = String::from_utf8_lossy(&quoted(id)).into_owned();
                let session = format!(r#"{{"type":"claude_code_session","id":{id},"via":"fork"}}"#);
                sessions.push(session.into_bytes());
            }
        }
        line.set("sessions", array(sessions));
        Some(line)
    }
}

/// Whether a line has the required members of its kind.
fn is_complete(line: &Members<'_>, kind: &str, member: &str) -> bool {
    match kind {
        "tools-used" | DERIVED => line.get(member).and_then(items).is_some(),
        "atis-latch" => {
            let text = line.text(member);
            text.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_graphic()))
        }
        _ => line.text(member).is_some_and(|text| !text.is_empty()),
    }
}
